"""What a configured CMake build folder tells of the files of the tree."""

from __future__ import annotations

import json
from pathlib import Path

from crawler.builds.cmake.build_folder_entries import read_configured_entries


def test_a_source_that_the_build_translates_has_the_tree_s_include_paths(
    tmp_path: Path,
) -> None:
    words = [
        "hipcc",
        "-I/build/csrc",
        "-isystem",
        "/build/third",
        "-I/opt/rocm",
        "-c",
        "/build/csrc/rocm/k.hip",
    ]
    exported_entry = {
        "directory": "/build",
        "file": "/build/csrc/rocm/k.hip",
        "arguments": [*words, "-o", "k.o"],
    }
    (tmp_path / "compile_commands.json").write_text(json.dumps([exported_entry]))
    (entry,) = read_configured_entries(
        tmp_path, {"csrc/rocm/k.cu"}, build_mount="/build", source_mount="/tree"
    )
    assert entry.file == "/tree/csrc/rocm/k.cu"
    assert entry.split_words()[1:5] == [
        "-I/tree/csrc",
        "-isystem",
        "/tree/third",
        "-I/opt/rocm",
    ]


def test_a_source_that_the_build_makes_keeps_its_paths(tmp_path: Path) -> None:
    exported_entry = {
        "directory": "/build",
        "file": "/build/made.cu",
        "arguments": ["nvcc", "-I/build/csrc", "/build/made.cu"],
    }
    (tmp_path / "compile_commands.json").write_text(json.dumps([exported_entry]))
    (entry,) = read_configured_entries(
        tmp_path, {"csrc/other.cu"}, build_mount="/build", source_mount="/tree"
    )
    assert (entry.file, entry.split_words()[1]) == ("/build/made.cu", "-I/build/csrc")
