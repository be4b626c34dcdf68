"""Functions for the host stay where their bodies tell types that device code is declared with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.cpp.files.source_text import SourceText
from crawler.extract.closure.implicit_dependencies.auto_return_types import (
    find_names_needing_bodies,
)
from crawler.validate.build import build_unit

_SOURCE = """
#define BOTH __host__ __device__
template <int N> struct Shape { int extent = N; };
template <int N> auto padded() { return Shape<N + 1>{}; }
auto unasked() { return Shape<7>{}; }
template <int N> struct Transform {
  static auto rows() { return padded<N>(); }
  static auto columns() { return Shape<N * 2>{}; }
};
template <int N> struct Operator {
  static auto grid() { return Transform<N>::rows(); }
  using Grid = decltype(grid());
  BOTH auto doubled(int x) const { return x * 2; }
};
template <class Op> __global__ void fill(typename Op::Grid grid, int* out) { out[0] = Op().doubled(grid.extent); }
void run(int* out) { fill<Operator<3>><<<1, 1>>>(Operator<3>::grid(), out); }
"""


def test_what_a_type_is_deduced_from_comes_along(project: Callable[..., Any]) -> None:
    (kernel,) = project({"k.cu": _SOURCE}).kernels()
    assert "Shape<N + 1>" in kernel.unit.source
    assert "Shape<N * 2>" not in kernel.unit.source
    assert "unasked" not in kernel.unit.source
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


def test_what_is_for_devices_asks_for_nothing_more() -> None:
    source = SourceText("k.cu", _SOURCE.encode())
    assert {"grid", "rows", "padded"} <= find_names_needing_bodies(
        [source], {"__device__", "BOTH"}
    )
    assert not {"columns", "unasked", "doubled"} & find_names_needing_bodies(
        [source], {"__device__", "BOTH"}
    )
