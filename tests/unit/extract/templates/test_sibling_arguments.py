"""Templates that nothing uses take over what a kernel of their file with the same parameters is
used with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.model import InstantiationOrigin, Kernel

_HEADER = """
#pragma once
template <class T> struct Tile {
  T* at;
  struct Shape { int n; };
  __device__ void copy(T* to, Shape s) { to[s.n] = *at; }
};
template <class Gemm, bool kTail, int kStages = 2> __global__ void once(Gemm tile, float* out) {
  typename Gemm::Shape shape{kTail ? 1 : kStages};
  tile.copy(out, shape);
}
template <class Gemm, int kStages = 3, bool kTail = false> __global__ void twice(Gemm tile, float* out) {
  typename Gemm::Shape shape{kTail ? 1 : kStages};
  tile.copy(out, shape);
  tile.copy(out + 1, shape);
}
template <class Gemm> __device__ void passed_on(float* out) { out[0] = sizeof(typename Gemm::Shape); }
template <class Gemm> __global__ void guessed(float* out) { passed_on<Gemm>(out); }
template <class Gemm, bool kEven, int kVectors> __global__ void more(Gemm tile, float* out) {
  tile.copy(out + kVectors, typename Gemm::Shape{kEven});
}
template <class Other> __global__ void other(Other tile, float* out) { tile.paste(out, typename Other::Brush{1}); }
"""
_LAUNCH = '#include "tile.h"\nvoid launch(float* out) { once<Tile<float>, true><<<1, 32>>>(Tile<float>{out}, out); }\n'
_LATER = '#include "tile.h"\nvoid later(double* out, float* to) { twice<Tile<float>, 8><<<1, 1>>>(Tile<float>{to}, to); }\n'


@pytest.fixture(scope="module")
def kernels(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return index_kernels(project({"tile.h": _HEADER, "launch.cu": _LAUNCH}).kernels())


def test_parameters_of_one_name_take_the_same(kernels: dict[str, Kernel]) -> None:
    (instantiation,) = kernels["twice"].instantiations
    assert instantiation.arguments == ("Tile<float>", "2", "true")
    assert instantiation.origin is InstantiationOrigin.DEFAULT
    assert kernels["twice"].unit
    assert "struct Tile" in kernels["twice"].unit.source


def test_a_type_of_the_project_is_better_than_a_guess(
    kernels: dict[str, Kernel],
) -> None:
    assert [
        instantiation.arguments for instantiation in kernels["guessed"].instantiations
    ] == [("Tile<float>",)]


def test_values_that_nothing_tells_are_guessed_beside_a_type_that_is_told(
    kernels: dict[str, Kernel],
) -> None:
    assert [
        instantiation.arguments for instantiation in kernels["more"].instantiations
    ] == [("Tile<float>", "false", "4")]


def test_a_kernel_with_other_parameters_takes_nothing(
    kernels: dict[str, Kernel],
) -> None:
    assert kernels["other"].instantiations == ()
    assert kernels["other"].unit_problem.startswith("no-instantiation")


def test_what_another_unit_uses_it_with_counts_alone(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> None:
    both = index_kernels(
        project({"tile.h": _HEADER, "launch.cu": _LAUNCH, "later.cu": _LATER}).kernels()
    )
    assert [
        instantiation.arguments for instantiation in both["twice"].instantiations
    ] == [("Tile<float>", "8", "false")]
    assert [instantiation.origin for instantiation in both["twice"].instantiations] == [
        InstantiationOrigin.LAUNCH
    ]
