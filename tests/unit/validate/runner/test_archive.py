"""The runner is carried to machines of which nothing is known: it must ask for nothing but some
Python.
"""

from __future__ import annotations

import ast
import ctypes
import io
import json
import sys
import zipfile
from pathlib import Path

import pytest

from crawler.validate import runner
from crawler.validate.runner.archive import build_archive
from crawler.validate.runner.driver import allocate_argument
from crawler.validate.runner.manifest import Job, read_job, read_units

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


def test_a_bundle_of_another_schema_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(
        json.dumps({"schema": "kernelset/bundle/7", "units": []})
    )
    with pytest.raises(ValueError, match="make it again"):
        read_units(tmp_path)


def test_a_bundle_without_wishes_has_the_usual(tmp_path: Path) -> None:
    assert read_job(tmp_path) == Job()


def test_arguments_lie_aligned() -> None:
    value = allocate_argument(b"\x01\x02\x03\x04\x05")
    assert ctypes.addressof(value) % 32 == 0
    assert bytes(value) == b"\x01\x02\x03\x04\x05"
