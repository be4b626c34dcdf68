"""Where extension modules and tests of a project lie."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.validate.suites.suite_project import find_module_place, find_test_files


@pytest.mark.parametrize(
    ("name", "files", "expected"),
    [
        ("ops._C", ["ops/__init__.py"], "ops/_C.so"),
        ("ops._C", ["src/ops/__init__.py"], "src/ops/_C.so"),
        ("ops._C", ["b/ops/__init__.py", "ops/__init__.py"], "ops/_C.so"),
        ("a.b._C", ["a/__init__.py", "a/b/__init__.py"], "a/b/_C.so"),
        ("ops_cuda", ["ops/__init__.py"], ".kernelset-modules/ops_cuda.so"),
        ("ops._C", ["drops/__init__.py"], ".kernelset-modules/ops/_C.so"),
    ],
)
def test_a_module_lies_in_its_package(
    name: str, files: list[str], expected: str
) -> None:
    assert str(find_module_place(name, files).file) == expected


def test_files_that_pytest_takes_are_tests(tmp_path: Path) -> None:
    names = ["test/test_a.py", "ops/b_test.py", "ops/testing.py", "setup.py"]
    for name in [*names, "third_party/lib/test_c.py"]:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")

    assert find_test_files(open_tree(tmp_path)) == ["ops/b_test.py", "test/test_a.py"]
