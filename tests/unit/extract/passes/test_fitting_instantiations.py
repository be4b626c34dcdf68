"""One type that a unit does not compile with takes the unit from no other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.validate.build import build_unit
from tests.unit.extract.builders import unit_of

pytestmark = pytest.mark.apt("clang-19")

_SOURCE = """
struct Pair { int a, b; };
template <class T> __device__ T sorted(T x) {
  static_assert(sizeof(T) <= 4, "the library that is here takes no other");
  return x;
}
template <class T> __global__ void sort(T *x) { x[0] = sorted(x[0]); }
template <class T> __global__ void fill(T *x) { x[0] = nobody_has_this(x[0]); }
void run(float *a, int *b, Pair *c) {
  sort<<<1, 1>>>(a);
  sort<<<1, 1>>>(b);
  sort<<<1, 1>>>(c);
  fill<<<1, 1>>>(a);
  fill<<<1, 1>>>(b);
}
"""


def test_instantiations_that_do_not_compile_are_left_out_and_counted(
    project: Callable[..., Any],
) -> None:
    sort, fill = project({"k.cu": _SOURCE}).kernels()
    assert {made.arguments for made in sort.instantiations} == {("float",), ("int",)}
    assert unit_of(sort).attempts[-1] == "instantiations: 1 of 3 left out"
    assert build_unit(unit_of(sort), "sm_80").build.pass_call.message == ""
    # where none compiles all stay, and the verdict says why
    assert {made.arguments for made in fill.instantiations} == {("float",), ("int",)}
