"""Shared memory that is aligned the C++ way, behind `__shared__`, as nvcc takes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.model import Status
from crawler.validate.build import build_unit

_SOURCE = """
#ifdef __CUDACC__
__host__ __device__
#endif
inline float sign(float x) { return x < 0 ? -1.f : 1.f; }
template <typename T> __global__ void k(T *p) {
  __shared__ alignas(alignof(float4)) T tile[32];
  extern __shared__ /* bytes */ alignas(128) unsigned char rest[];
  tile[threadIdx.x] = rest[0];
  *p = sign(*p) * tile[0];
}
void run(float *p) { k<<<1, 1>>>(p); }
"""


def test_alignas_goes_in_front_of_shared_memory(project: Callable[..., Any]) -> None:
    (kernel,) = project({"k.cu": _SOURCE}).kernels()
    assert "alignas(alignof(float4)) __shared__ T tile[32]" in kernel.unit.source
    assert (
        "alignas(128) extern __shared__ /* bytes */ unsigned char" in kernel.unit.source
    )
    assert "__shared__ alignas(alignof(float4)) T tile[32]" in kernel.source
    verdict = build_unit(kernel.unit, "sm_80").build.pass_call
    assert (verdict.status, verdict.message) == (Status.PASS, "")
