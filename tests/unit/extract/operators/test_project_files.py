"""Which files of a tree are read for operators, and in what order."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.extract.operators.project_files import (
    iter_project_files,
    iter_texts,
    list_code_files,
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for path in ("z.cu", "a.h", "src/b.cpp", "src/gpu/C.CUH", ".hidden/d.cu", "e.py"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"int a; // \xe9\n")
    return tmp_path


def test_a_folder_comes_before_its_subfolders_and_both_are_sorted(tree: Path) -> None:
    assert list(iter_project_files(tree)) == [
        "a.h",
        "e.py",
        "z.cu",
        "src/b.cpp",
        "src/gpu/C.CUH",
    ]


def test_paths_below_a_folder_are_relative_to_the_root(tree: Path) -> None:
    assert list(iter_project_files(tree, "src")) == ["src/b.cpp", "src/gpu/C.CUH"]
    assert list(iter_project_files(tree, "missing")) == []


def test_hidden_folders_are_entered_only_where_asked_for(tree: Path) -> None:
    assert ".hidden/d.cu" in iter_project_files(tree, has_hidden_folders=True)
    assert ".hidden/d.cu" not in iter_project_files(tree)


def test_files_with_launches_come_first_then_sources_then_headers(tree: Path) -> None:
    files = list_code_files(tree, {"src/gpu/C.CUH"})
    assert files.native == ["src/gpu/C.CUH", "src/b.cpp", "z.cu", "a.h"]
    assert files.python == ["e.py"]


def test_a_text_has_a_character_a_byte_and_links_are_not_followed(tree: Path) -> None:
    (tree / "link.cu").symlink_to(tree / "z.cu")
    texts = list(iter_texts(tree, ["link.cu", "missing.cu", "src", "z.cu"]))
    assert texts == [("z.cu", "int a; // \xe9\n")]


def test_a_file_that_is_too_long_is_left_out(tree: Path) -> None:
    (tree / "long.cu").write_bytes(b" " * ((2 << 20) + 1))
    (tree / "longest.cu").write_bytes(b" " * (2 << 20))
    paths = [path for path, _ in iter_texts(tree, ["long.cu", "longest.cu", "a.h"])]
    assert paths == ["longest.cu", "a.h"]
