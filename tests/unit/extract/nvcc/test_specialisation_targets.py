"""Specialisations for other targets than their template's, which nvcc takes and clang does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.port.port import port_unit
from crawler.validate.build import build_unit

COLOURS = """
template <class T> struct Info;
template <> struct Info<uchar4> { using Base = unsigned char; };
template <> struct Info<float4> { using Base = float; };
template <class T> inline __device__ typename Info<T>::Base alpha(T v, typename Info<T>::Base a = 255)
{ static_assert(sizeof(T) < 0, "no colour"); }
template <> inline __host__ __device__ unsigned char alpha(uchar4 v, unsigned char a) { return v.w; }
template <> inline __host__ __device__ float alpha(float4 v, float a) { return v.w; }
__global__ void k(float4* in, float* out) { out[threadIdx.x] = alpha(in[threadIdx.x]); }
"""
FOR_HOST = """
template <class T, int N = (3 > 2)> __host__ __device__ T twice(T a) { return a + a; }
template <> __device__ float twice<float, 1>(float a) { return 3 * a; }
__global__ void k(float* out) { out[0] = twice(1.0f) + twice(2.0); }
"""
OVERLOADS = """
template <class T> __host__ T f(T a) { return a; }
template <class T> __device__ T f(T a) { return a + 1; }
template <class T> __device__ T g(T a) { return f(a); }
template <> __device__ int g(int a) { return 2 * f(a); }
__global__ void k(float* out) { out[0] = g(1.0f) + g(1); }
"""


@pytest.mark.parametrize(
    ("source", "count"),
    [(COLOURS, 3), (FOR_HOST, 2), (OVERLOADS, 0)],
    ids=["template for devices", "specialisation for devices", "overloads"],
)
def test_both_dialects_compile_it(
    project: Callable[..., Any], source: str, count: int
) -> None:
    (kernel,) = project({"a.cu": source}).kernels()
    assert kernel.unit.rung.value == "minimal"
    assert kernel.unit.source.count("__host__") == count
    for unit, target in ((kernel.unit, "sm_80"), (port_unit(kernel.unit), "gfx90a")):
        assert build_unit(unit, target).build.pass_call.message == ""
