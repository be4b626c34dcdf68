from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_tree import open_tree

Plant = Callable[[dict[str, str]], IncludeGraph]


@pytest.fixture
def plant(tmp_path: Path) -> Plant:
    """Write files below a folder of their own, and return the graph of that tree."""

    def write(files: dict[str, str]) -> IncludeGraph:
        root = tmp_path / "project"
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return IncludeGraph(open_tree(root))

    return write
