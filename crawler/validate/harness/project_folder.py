"""Lay out judged tests as a folder that builds by itself: kernels, a judge, a CMake project, a
pytest module, headers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Final

from crawler import headers
from crawler.validate.harness.judged_test import JudgedTest, collect_judge_sources
from crawler.validate.harness.program import HEADER_TREES

_PROJECT_FOLDER: Final = "project"


def render_folder(tests: Iterable[JudgedTest]) -> Mapping[str, bytes]:
    """Return the files of a folder of tests by their names; its headers are those of
    `collect_cpu_headers`.
    """
    all_tests = list(tests)
    files: dict[str, bytes] = {}
    for test in all_tests:
        files.update(test.files)

    return {**files, **render_project_files(all_tests)}


def render_project_files(tests: Iterable[JudgedTest]) -> Mapping[str, bytes]:
    """Return what builds and runs a folder of tests: a judge, a CMake project, a pytest module,
    and how to use them.
    """
    languages = {test.name: test.dialect.value for test in tests}
    calls = [f"kernel_test({name} {languages[name]})" for name in sorted(languages)]
    cmake = _read_project_file("CMakeLists.txt").replace("@TESTS@", "\n".join(calls))
    languages_json = json.dumps(languages, indent=2, sort_keys=True) + "\n"

    return {
        **collect_judge_sources(),
        "CMakeLists.txt": cmake.encode(),
        "tests.json": languages_json.encode(),
        "test_kernels.py": _read_project_file("test_kernels.py.txt").encode(),
        "README.md": _read_project_file("README.md").encode(),
    }


def collect_cpu_headers() -> Mapping[str, bytes]:
    """Return the headers that tests are built with on a CPU, by their names in a folder of
    tests.
    """
    files = {}
    for path in headers.list_header_files():
        name = path.relative_to(headers.ROOT)
        # our GoogleTest declares just enough for a parse: here it would stand before the real one
        if name.parts[0] in HEADER_TREES and "gtest" not in name.parts:
            files[f"include/{name}"] = path.read_bytes()

    return files


def _read_project_file(name: str) -> str:
    file = resources.files(__package__).joinpath("text", _PROJECT_FOLDER, name)
    return file.read_text("utf-8")
