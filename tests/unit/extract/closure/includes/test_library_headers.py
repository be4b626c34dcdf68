"""Which headers a unit includes besides its prelude."""

from __future__ import annotations

import pytest

from crawler.extract.closure.includes.library_headers import (
    find_carried_libraries,
    select_library_headers,
)
from crawler.model import Dialect


@pytest.mark.parametrize(
    ("word", "header"),
    [
        ("__nv_cvt_fp8x2_to_halfraw2", "<cuda_fp8.h>"),
        ("__nv_cvt_e8m0_to_bf16raw", "<cuda_fp8.h>"),
        ("__nv_fp6x4_e3m2", "<cuda_fp6.h>"),
        ("__NV_E2M3", "<cuda_fp6.h>"),
        ("__NV_E2M1", "<cuda_fp4.h>"),
        ("cuCfmaf", "<cuComplex.h>"),
        ("make_cuDoubleComplex", "<cuComplex.h>"),
        ("CUDART_INF_F", "<math_constants.h>"),
        ("cuda::", "<kernelset/libcudacxx.h>"),
        ("PRIdLEAST32", "<cinttypes>"),
        ("PRIu64", "<cinttypes>"),
        ("_CCCL_HOST_DEVICE", "<kernelset/libcudacxx.h>"),
        ("__pipeline_memcpy_async", "<kernelset/pipeline.h>"),
        ("FE_TONEAREST", "<cfenv>"),
    ],
)
def test_a_name_of_a_library_asks_for_its_header(word: str, header: str) -> None:
    assert select_library_headers([word], [], Dialect.CUDA) == (header,)


def test_a_name_that_the_project_declares_asks_for_nothing() -> None:
    assert (
        select_library_headers(
            ["__NV_E2M1", "CUDART_PI"], ["__NV_E2M1", "CUDART_PI"], Dialect.CUDA
        )
        == ()
    )


@pytest.mark.parametrize(
    ("word", "header"),
    [
        ("__hip_cvt_float_to_fp8", "<hip/hip_fp8.h>"),
        ("HIP_FP8_TYPE_OCP", "<hip/hip_fp8.h>"),
        ("cooperative_groups", "<hip/hip_cooperative_groups.h>"),
        ("cub", "<kernelset/hip_cub.h>"),
        ("thrust", "<thrust/thrust.h>"),
    ],
)
def test_hip_has_headers_of_its_own(word: str, header: str) -> None:
    assert select_library_headers([word], [], Dialect.HIP) == (header,)


def test_what_a_branch_for_the_other_dialect_names_asks_for_nothing() -> None:
    assert select_library_headers(["__hip_fp8_e4m3", "hipcub"], [], Dialect.CUDA) == ()
    assert (
        select_library_headers(
            ["__nv_fp8_e4m3", "nvcuda", "ncclComm_t"], [], Dialect.HIP
        )
        == ()
    )


def test_a_library_that_a_project_carries_is_not_ours_as_well() -> None:
    read_headers = {"<thrust/thrust.h>", "<cuda_fp16.h>"}
    namespaces = ["cub", "thrust", "project"]
    assert find_carried_libraries(namespaces, read_headers) == {"cub"}


def test_a_library_read_under_the_name_of_hip_is_ours() -> None:
    read_headers = {"<hip/hip_cooperative_groups.h>"}
    assert find_carried_libraries(["cooperative_groups"], read_headers) == set()


@pytest.mark.parametrize("word", ["atomic_int", "atomic_uint64_t", "atomic_flag"])
def test_every_atomic_type_of_the_standard_asks_for_its_header(word: str) -> None:
    assert select_library_headers(["std", word], [], Dialect.CUDA) == ("<atomic>",)
    assert select_library_headers([word], [], Dialect.CUDA) == ()
    assert select_library_headers(["std", word], [word], Dialect.CUDA) == ()
