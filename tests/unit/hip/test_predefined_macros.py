"""Names that may be macros where a unit defines none."""

from __future__ import annotations

import pytest

from crawler.hip.predefined_macros import (
    HIP_COMPILER_MACROS,
    NEVER_DEFINED_MACRO,
    may_be_predefined,
)


@pytest.mark.parametrize(
    "name",
    [
        *(
            "__clang__",
            "_GNU_SOURCE",
            "INT_MAX",
            "FLT_EPSILON",
            "M_PI",
            "NAN",
            "ENOMEM",
        ),
        *("assert", "HIP_VERSION", "KERNELSET_CUDA_ARCH"),
    ],
)
def test_names_of_implementations_and_of_our_headers_may_be(name: str) -> None:
    assert may_be_predefined(name)


@pytest.mark.parametrize("name", ["ACME_USE_HALF", "BLOCK_SIZE", NEVER_DEFINED_MACRO])
def test_names_of_projects_may_not_be(name: str) -> None:
    assert not may_be_predefined(name)


@pytest.mark.parametrize("name", ["__HIPCC__", "__gfx90a__", "__GFX9__", "__AMDGCN__"])
def test_hips_compilers_define_their_own(name: str) -> None:
    assert HIP_COMPILER_MACROS.fullmatch(name)


def test_none_of_these_is_cudas() -> None:
    for name in ("__CUDACC__", "__NVCC__", "__CUDA_ARCH__", "__HIPCC_RTC__"):
        assert not HIP_COMPILER_MACROS.fullmatch(name)


@pytest.mark.parametrize(
    "name",
    [
        "uint8_t",
        "min",
        "SEEK_SET",
        "PRIu64",
        "ATOMIC_INT_LOCK_FREE",
        "HUGE_VALF",
        "E2BIG",
    ],
)
def test_names_of_standard_headers_may_be(name: str) -> None:
    assert may_be_predefined(name)


@pytest.mark.parametrize(
    "name", ["USE_FAST_MATH", "Vector", "kBlock", "TILE_M", "ENABLE_x"]
)
def test_names_in_capitals_of_a_project_may_not_be(name: str) -> None:
    assert not may_be_predefined(name)
