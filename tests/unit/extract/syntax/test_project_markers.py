"""A project's own names for `__global__` are found in its headers."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.extract.syntax import project_markers
from crawler.extract.syntax.project_markers import find_project_markers


def test_macros_of_headers_mark_kernels(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "types.hpp").write_text(
        "#ifdef __CUDACC__\n#define KERNEL static \\\n  __global__\n#endif\n"
    )
    (tmp_path / "kernels.cuh").write_text(
        "#define BLOCK 256\n__global__ void k(int *x) { x[0] = BLOCK; }\n"
    )

    assert find_project_markers(tmp_path) == {"__global__", "KERNEL"}


def test_a_tree_without_headers_has_the_usual_marker(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("#define KERNEL __global__\n")

    assert find_project_markers(tmp_path) == {"__global__"}


def test_links_folders_and_large_headers_are_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_markers, "_MAX_HEADER_BYTES", 64)
    (tmp_path / "folder.h").mkdir()
    (tmp_path / "link.h").symlink_to("link.h")
    (tmp_path / "large.h").write_text("#define LARGE __global__\n" + " " * 64)
    (tmp_path / "small.h").write_text("#define SMALL __global__\n")

    assert find_project_markers(tmp_path) == {"__global__", "SMALL"}
