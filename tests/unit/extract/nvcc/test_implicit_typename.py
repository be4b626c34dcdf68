"""Template arguments that are types by their names say so in a unit, as clang asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.cpp.files.source_text import SourceText
from crawler.extract.nvcc.implicit_typename import find_type_only_names, insert_typename
from crawler.validate.build import build_unit

_SOURCE = """
template <int N> struct Traits {
  struct Base { int rows; };
  using Tile = Base;
  static constexpr int kRows = N;
};
template <class T> __device__ int rows(T tile) { return tile.rows; }
template <class T, int kTimes> __device__ int more(T tile) { return tile.rows * kTimes; }
template <int N> __device__ int doubled() { return N * 2; }
template <class Traits_> __global__ void fill(int* out) {
  typename Traits_::Tile tile{1};
  out[0] = rows<Traits_::Tile>(tile) + more< Traits_::Tile, 2>(tile) + doubled<Traits_::kRows>();
}
void run(int* out) { fill<Traits<3>><<<1, 1>>>(out); }
"""


def test_a_unit_says_which_arguments_are_types(project: Callable[..., Any]) -> None:
    (kernel,) = project({"k.cu": _SOURCE}).kernels()
    assert "rows<typename Traits_::Tile>(tile)" in kernel.unit.source
    assert "doubled<Traits_::kRows>()" in kernel.unit.source
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


def test_a_name_that_may_be_a_value_is_left_as_it_is() -> None:
    types = find_type_only_names(
        [
            SourceText(
                "k.cu",
                b"struct A { using Tile = int; };\nstruct B { static const int Tile = 1; };",
            )
        ]
    )
    text = "template <class T> int f() { return g<T::Tile>(); }"
    assert insert_typename(text, types) == text
    assert (
        insert_typename(text, {"Tile"})
        == "template <class T> int f() { return g<typename T::Tile>(); }"
    )
    assert (
        insert_typename("int f() { return g<T::Tile>(); }", {"Tile"})
        == "int f() { return g<T::Tile>(); }"
    )
