"""Default arguments that a project gives a template where it defines it, which is not where it
declares it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.validate.build import build_unit

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


def unit_source(project: Callable[..., Any], text: str) -> str:
    """Return the unit of the only kernel, which must compile alone."""
    (kernel,) = project({"a.cu": text}).kernels()
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""
    source = kernel.unit.source
    assert isinstance(source, str)
    return source


def test_a_default_of_the_declaration_stays_where_it_is(
    project: Callable[..., Any],
) -> None:
    source = unit_source(
        project,
        "template <int N> __device__ int twice(int a = 3);\n"
        "template <int N> __device__ int twice(int a) { return a * N; }\n"
        "__global__ void k(int *x) { x[0] = twice<2>(); }\n",
    )
    assert "int twice(int a = 3);" in source
    assert "int twice(int a) { return a * N; }" in source


def test_a_template_that_is_declared_once_keeps_its_defaults(
    project: Callable[..., Any],
) -> None:
    source = unit_source(
        project,
        "template <int N> __device__ int twice(int a = 3) { return a * N; }\n"
        "__global__ void k(int *x) { x[0] = twice<2>(); }\n",
    )
    assert "int twice(int a = 3) { return a * N; }" in source


def test_an_overload_is_another_template(project: Callable[..., Any]) -> None:
    source = unit_source(
        project,
        "template <int N> __device__ int twice(float a, float b);\n"
        "template <int N> __device__ int twice(int a = 3) { return a * N; }\n"
        "template <int N> __device__ int twice(float a, float b) { return N; }\n"
        "__global__ void k(int *x) { x[0] = twice<2>() + twice<2>(1.f, 2.f); }\n",
    )
    assert "int twice(int a = 3) { return a * N; }" in source
    assert "int twice(float a, float b);" in source
