"""What to do about a library that is missing."""

from __future__ import annotations

import pytest

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
            "crawl the repository with its submodules, or a release that has them",
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


def test_a_library_of_another_kernelset_is_no_packages_fault() -> None:
    assert "knows no library nobody" in explain_missing_library("nobody")


@pytest.mark.usefixtures("thrust")
def test_what_an_installed_version_lacks_may_be_in_another() -> None:
    message = explain_missing_headers(["thrust/detail/older.h"])
    assert message.startswith(
        "thrust/detail/older.h is Thrust's: 1.17.2, which is here,"
    )
    assert "install" not in message
