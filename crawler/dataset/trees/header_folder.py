"""Put what units include beside them, and the page that says how they compile."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from crawler import headers
from crawler.dataset.texts.depth import Depth
from crawler.dataset.texts.readme import render_readme

_HEADER_TREES: Final = ("common", "cuda", "hip", "torch")
"""The parts of our headers that a unit is compiled with."""


def copy_headers(root: Path, depth: Depth) -> None:
    """Put what the sources `#include` under `include/`, and say in `README.md` how they compile."""
    for path in headers.list_header_files():
        relative = path.relative_to(headers.ROOT)
        if relative.parts[0] not in _HEADER_TREES:
            continue

        target = root / "include" / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)

    readme = root / "README.md"
    readme.write_text(render_readme(depth), "utf-8")
