"""The runner is carried to machines of which nothing is known: it must ask for nothing but some
Python.
"""

from __future__ import annotations

import ast
import io
import sys
import zipfile
from pathlib import Path

import pytest

from crawler.validate import runner
from crawler.validate.runner.archive import build_archive

SOURCES = sorted(Path(str(runner.__file__)).parent.glob("*.py"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_it_imports_the_standard_library_and_itself_alone(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(), feature_version=(3, 8))):
        if isinstance(node, ast.Import):
            assert {
                name.name.partition(".")[0] for name in node.names
            } <= sys.stdlib_module_names
        if isinstance(node, ast.ImportFrom) and not node.level:
            assert str(node.module).partition(".")[0] in {
                *sys.stdlib_module_names,
                "runner",
            }


def test_the_file_that_is_carried_is_always_the_same_and_holds_all() -> None:
    assert build_archive() == build_archive()
    with zipfile.ZipFile(io.BytesIO(build_archive())) as archive:
        assert sorted(archive.namelist()) == [
            "__main__.py",
            *(f"runner/{path.name}" for path in SOURCES),
        ]
