"""CMake files as this machine's CMake has to see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.checkout.source_tree import open_tree
from crawler.checkout.tree_copies import make_linked_copy
from crawler.validate.suites.own_builds import cmake_texts
from crawler.validate.suites.own_builds.cmake_texts import (
    list_switches,
    relax_cmake_files,
)


def test_tests_and_devices_are_switched_on_and_benchmarks_off(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        'option(FOO_BUILD_TESTS "t" OFF)\noption(BUILD_TESTING "t" OFF)\n'
        '  OPTION( FOO_ENABLE_CUDA "c" OFF)\noption(FOO_BUILD_BENCHMARKS "b" ON)\n'
        'option(FOO_TEST_COVERAGE "v" OFF)\noption(FOO_DOCS "d" OFF)\n'
        'option(FOO_LATEST "l" OFF)\noption(FOO_ENABLE_HIP "h" OFF)\n'
    )

    assert list_switches(open_tree(tmp_path)) == {
        "FOO_BUILD_TESTS": "ON",
        "BUILD_TESTING": "ON",
        "FOO_ENABLE_CUDA": "ON",
        "FOO_BUILD_BENCHMARKS": "OFF",
    }


def test_what_is_newer_than_this_cmake_is_asked_for_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cmake_texts, "_find_newest_policy", lambda: 120)
    source = tmp_path / "source"
    source.mkdir()
    text = (
        "cmake_minimum_required(VERSION 4.0)\n"
        "cmake_policy(SET CMP0175 NEW)\ncmake_policy(SET CMP0104 NEW)\n"
    )
    (source / "CMakeLists.txt").write_text(text)
    tree = open_tree(source)
    copy = make_linked_copy(tree, tmp_path / "copy")
    relax_cmake_files(tree, copy)

    assert (copy / "CMakeLists.txt").read_text() == (
        "cmake_minimum_required(VERSION 3.18)\n\ncmake_policy(SET CMP0104 NEW)\n"
    )
    # it was linked
    assert (source / "CMakeLists.txt").read_text() == text
