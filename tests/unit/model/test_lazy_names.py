"""The names of the model are loaded when they are asked for, and none is forgotten."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from crawler import model


def list_names_of_type_checkers() -> dict[str, str]:
    """Return each name that type checkers see, with its module."""
    tree = ast.parse(Path(str(model.__file__)).read_text())
    return {
        alias.name: node.module or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (node.module or "").startswith("crawler.model.")
    }


def test_a_name_is_found_where_type_checkers_find_it() -> None:
    names = list_names_of_type_checkers()
    assert set(dir(model)) == set(names) == set(model.__all__)
    for name, module in names.items():
        assert getattr(model, name) is getattr(sys.modules[module], name)


def test_an_unknown_name_is_an_error_as_in_any_module() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = model.Nothing  # type: ignore[attr-defined]


def test_a_name_loads_no_module_that_it_does_not_need() -> None:
    program = "import sys; from crawler.model import Dialect; print(*sys.modules)"
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    modules = set(printed.stdout.split())
    assert "crawler.model.dialect" in modules
    assert "crawler.model.kernel" not in modules
