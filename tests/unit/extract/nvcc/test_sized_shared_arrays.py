"""Dynamic shared memory that says how large it is, as nvcc takes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.nvcc.sized_shared_arrays import omit_extents_of_dynamic_arrays
from crawler.model import Status
from crawler.validate.build import build_unit


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("extern __shared__ float s[32][33];", "extern __shared__ float s[][33];"),
        ("__shared__ extern float s[N];", "__shared__ extern float s[];"),
        (
            "extern volatile __shared__ int a[f(2)], b[2];",
            "extern volatile __shared__ int a[], b[];",
        ),
        (
            "alignas(sizeof(int[4])) extern __shared__ char c[ /* all */ 8 ];",
            "alignas(sizeof(int[4])) extern __shared__ char c[];",
        ),
    ],
)
def test_the_first_extent_goes(written: str, expected: str) -> None:
    assert omit_extents_of_dynamic_arrays(written) == expected


@pytest.mark.parametrize(
    "written",
    [
        "__shared__ float s[32];",
        "extern __shared__ float s[];",
        "extern __constant__ float c[3]; __shared__ float s[3];",
        "// extern __shared__ float s[4];",
        'auto text = "extern __shared__ float s[4];";',
        "void f() { __shared__ float s[4]; extern int n[2]; }",
        "extern __shared__ float s[4",
        "extern __shared__ [[maybe_unused]] float s[];",
    ],
)
def test_other_arrays_stay(written: str) -> None:
    assert omit_extents_of_dynamic_arrays(written) == written


def test_a_kernel_with_sized_dynamic_memory_compiles(
    project: Callable[..., Any],
) -> None:
    source = """
    __global__ void transpose(const float *from, float *to) {
      extern __shared__ float tile[32][33];
      tile[threadIdx.y][threadIdx.x] = from[threadIdx.y * 32 + threadIdx.x];
      __syncthreads();
      to[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
    }
    void run(float *p) { transpose<<<1, dim3(32, 32), 32 * 33 * 4>>>(p, p + 1024); }
    """
    (kernel,) = project({"k.cu": source}).kernels()
    assert "extern __shared__ float tile[][33];" in kernel.unit.source
    verdict = build_unit(kernel.unit, "sm_80").build.pass_call
    assert (verdict.status, verdict.message) == (Status.PASS, "")
