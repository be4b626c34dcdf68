"""Default arguments that a project gives a template where it defines it, which is not where it
declares it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SOURCE = """
constexpr int kStart = 3;
template <int N> __device__ void rescan(const float* from, int start, int left);
__device__ int plain(int a);
template <class T> __device__ void early(T* x, int n) { rescan<4>(x, n, 4); }
template <int N = 2> __device__ void rescan(const float* from, int start = kStart, int left = N == 2 ? 1 : 2) {}
__device__ int plain(int a = 2) { return a; }
__global__ void k(float* x) { early(x, plain()); rescan<2>(x); }
"""


def test_they_stand_where_the_template_is_declared_first(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"a.cu": SOURCE}).kernels()
    assert (
        "rescan(const float* from, int start = kStart, int left = N == 2 ? 1 : 2);"
        in kernel.unit.source
    )
    assert "rescan(const float* from, int start , int left ) {}" in kernel.unit.source
    assert "constexpr int kStart = 3;" in kernel.unit.source
    assert "int plain(int a = 2) { return a; }" in kernel.unit.source
