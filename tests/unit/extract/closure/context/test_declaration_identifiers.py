"""A name that a template gives to its parameter is no macro there, whatever it is further down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.unit.extract.builders import unit_of

HEADER = """template <typename T, int DIM_X> __device__ T pick(const T* sA, int N) {
  return sA(N, DIM_X) * SCALE;
}
template <typename T, int DIM_X> __global__ void scale(T* to, const T* from) {
  to[threadIdx.x] = pick<T, DIM_X>(from, 3);
}
"""
SOURCE = """#define SCALE 4
#define sA(i, j) sA[(i) * 2 + (j)]
#include "scale.cuh"
#define DIM_X 8
#define N 5
void run(float* to, const float* from) { scale<float, DIM_X><<<N, 64>>>(to, from); }
"""


def test_macros_behind_a_header_stay_out_of_units_of_its_templates(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"scale.cuh": HEADER, "run.cu": SOURCE}).kernels()
    unit = unit_of(kernel)
    defined = [line for line in unit.source.splitlines() if line.startswith("#define")]
    assert defined == ["#define SCALE 4", "#define sA(i, j) sA[(i) * 2 + (j)]"]
    assert [macro.arguments for macro in unit.instantiations] == [("float", "8")]


def test_a_macro_that_another_one_pastes_comes_along(
    project: Callable[..., Any],
) -> None:
    source = """#define STRIP(X) ESCAPE(MARK X)
#define MARK(...) MARK __VA_ARGS__
#define ESCAPE(...) ESCAPE_(__VA_ARGS__)
#define ESCAPE_(...) EMPTY_##__VA_ARGS__
#define EMPTY_MARK
#define EMPTY
__global__ void k(int* x) { STRIP((*x = 1;)) }
"""
    (kernel,) = project({"k.cu": source}).kernels()
    defined = [
        line for line in unit_of(kernel).source.splitlines() if line[:7] == "#define"
    ]
    assert defined == source.splitlines()[:5]
