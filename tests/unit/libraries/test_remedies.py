"""What to do about a library that is missing."""

from __future__ import annotations

import pytest

from crawler.libraries.discovery import find_claiming
from crawler.libraries.include_roots import (
    IncludeRoot,
    find_include_root,
    list_include_roots,
)
from crawler.libraries.remedies import explain_missing_headers, explain_missing_library


@pytest.mark.parametrize(
    ("missing", "explanation"),
    [
        (
            ["thrust/detail/vector_base.h"],
            "thrust/detail/vector_base.h is Thrust's: install libthrust-dev and libcub-dev, "
            "or name its folder in KERNELSET_LIBRARIES",
        ),
        (
            ["cute/tensor.hpp"],
            "cute/tensor.hpp is CUTLASS's: install the wheel nvidia-cutlass beside Kernelset, "
            "or name its folder in KERNELSET_LIBRARIES",
        ),
        (
            ["sub/a.h", "b.h", "c.h", "d.h"],
            "sub/a.h, b.h, c.h, … not among the sources: "
            "put them into the project's folder, and crawl that",
        ),
        # of several the one that can be installed says more
        (
            ["own/a.h", "rocprim/rocprim.hpp"],
            "rocprim/rocprim.hpp is rocPRIM's: install librocprim-dev, "
            "or name its folder in KERNELSET_LIBRARIES",
        ),
    ],
)
@pytest.mark.usefixtures("nowhere")
def test_a_missing_header_is_explained_by_whose_it_is(
    missing: list[str], explanation: str
) -> None:
    assert explain_missing_headers(missing) == explanation


@pytest.mark.parametrize(
    ("missing", "explanation"),
    [
        (
            ["own.h", "catch2/catch_all.hpp"],
            "catch2/catch_all.hpp is Catch2's: let `debian_headers` take Debian's catch2, or "
            "take the headers of github.com/catchorg/Catch2, put them into the project's "
            "folder, and crawl that",
        ),
        (
            ["rocblas/rocblas.h"],
            "rocblas/rocblas.h is rocBLAS's: take the headers of github.com/ROCm/rocBLAS, "
            "put them into the project's folder, and crawl that",
        ),
        (
            ["cudnn_ops.h"],
            "cudnn_ops.h is cuDNN's: put them into the project's folder, and crawl that",
        ),
        (
            ["mpicxx/mpi.h"],
            "mpicxx/mpi.h not among the sources: put them into the project's folder, and "
            "crawl that",
        ),
    ],
)
@pytest.mark.usefixtures("nowhere")
def test_a_library_without_a_plugin_is_told_by_how_its_includes_begin(
    missing: list[str], explanation: str
) -> None:
    assert explain_missing_headers(missing) == explanation


def test_what_a_project_declares_and_could_not_be_had_is_said_first() -> None:
    message = explain_missing_headers(["raft/core.hpp"], ["raft, which the project …"])
    assert message == "raft/core.hpp not among the sources: raft, which the project …"


@pytest.mark.parametrize("root", list_include_roots(), ids=lambda root: root.prefix)
def test_no_root_of_the_table_is_that_of_a_known_library(root: IncludeRoot) -> None:
    assert find_claiming(f"{root.prefix}x.h") is None
    assert find_include_root(f"{root.prefix}.h") is root
    assert root.repository.count("/") == (2 if root.repository else 0)


def test_a_library_of_another_kernelset_is_no_packages_fault() -> None:
    assert "knows no library nobody" in explain_missing_library("nobody")


@pytest.mark.usefixtures("thrust")
def test_what_an_installed_version_lacks_may_be_in_another() -> None:
    message = explain_missing_headers(["thrust/detail/older.h"])
    assert message.startswith(
        "thrust/detail/older.h is Thrust's: 1.17.2, which is here,"
    )
    assert "install" not in message


def test_of_several_headers_that_of_the_missing_name_is_blamed() -> None:
    missing = ["mpi.h", "nvshmem.h", "own/nvshmemx.h"]
    explanation = explain_missing_headers(missing, name="nvshmem_float_p")
    assert explanation.startswith("nvshmem.h")
    assert "mpi.h" not in explanation
    assert explain_missing_headers(missing, name="real").startswith("mpi.h is MPI's")
