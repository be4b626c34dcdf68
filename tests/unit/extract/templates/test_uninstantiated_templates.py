"""Templates that nothing uses are instantiated with what was made up for them and compiles."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import pytest

from crawler.extract.templates.argument_combinations import order_combinations
from crawler.model import InstantiationOrigin, Kernel
from crawler.validate.build import build_unit
from tests.unit.extract.builders import unit_of

pytestmark = pytest.mark.apt("clang-19")

_LIBRARY = """
#pragma once
namespace lib {
namespace layout {
struct Row { static constexpr int kRank = 2; int at[2]; };
struct Column { static constexpr int kRank = 2; int at[2]; };
struct Volume { static constexpr int kRank = 3; int at[3]; };
namespace detail { struct Hidden { static constexpr int kRank = 3; int at[3]; }; }
}
template <class T> struct absolute { __device__ T operator()(T a) const { return a < 0 ? -a : a; } };
template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T, int kSize> struct Held { T held[kSize]; static constexpr bool kIsHeld = true; };

template <class Layout> __global__ void plane(float* out, Layout a) {
  static_assert(Layout::kRank == 2);
  out[0] = a.at[Layout::kRank - 1];
}
template <class Layout> __global__ void volume(float* out, Layout a) {
  static_assert(Layout::kRank == 3);
  out[0] = a.at[2];
}
template <class LayoutA, class LayoutB, class Fold = plus<float>> __global__ void both(float* out) {
  static_assert(LayoutA::kRank == 3 && LayoutB::kRank == 3);
  out[0] = Fold()(LayoutA::kRank, LayoutB::kRank);
}
template <class T, class Fold, class Map> __global__ void folded(T* out, Fold fold, Map map) {
  out[0] = fold(out[0], map(out[1]));
}
template <class T> __global__ void integral(T* out) { out[0] = out[1] ^ out[2]; }
template <class Some> __global__ void held(float* out, Some a) { out[0] = a.held[0] * Some::kIsHeld; }
template <class Some> __global__ void never(float* out, Some a) { out[0] = Some::kNobodyHasThis; }
template <class Policy_, class Layout_> struct Tiled { using Policy = Policy_; using Layout = Layout_; };
template <class Tile> __global__ void tiled(float* out) { out[0] = Tile::Policy::kWidth * Tile::Layout::kRank; }
enum class Mode { SLOW, FAST };
template <Mode kMode> __global__ void chosen(float* out) { out[0] = kMode == Mode::FAST ? 1 : 2; }
template <int kCount> __global__ void many(float* out) { static_assert(kCount > 100); out[0] = kCount; }
template <class Fold> __global__ void third_of(float* out, Fold fold) { out[0] = fold(1, 2, 3); }
template <class T> __global__ void swapped(T* out) { T old = out[0]; out[0].x = old.y; }
template <class Policy> __global__ void narrow(float* out) { out[0] = Policy::kWidth + sizeof(Policy); }
}
"""
_USE = """#include "library.h"
struct Wide { static constexpr int kWidth = 8; };
void use(float* out) {
  lib::tiled<lib::Tiled<Wide, lib::layout::Row>><<<1, 1>>>(out);
  lib::volume<<<1, 1>>>(out, lib::layout::Volume{});
}
"""
_LENT = """
namespace a {
struct Square { static constexpr int kSides = 4; };
struct Cube { static constexpr int kSides = 6; };
template <class T, class Shape> struct Box { T held; Shape shape; };
template <class In> __global__ void first(In in, float* out) { out[0] = in.held; }
template <class In, class Fold> __global__ void third(In in, Fold fold, float* out) { out[0] = fold(in.held, 1.0f); }
template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class In> __global__ void second(In in, float* out) {
  static_assert(decltype(in.shape)::kSides == 6);
  out[0] = in.held;
}
}
void use(float* out) { a::first<<<1, 1>>>(a::Box<float, a::Square>{}, out); }
"""


@pytest.fixture(scope="module")
def kernels(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return index_kernels(project({"library.h": _LIBRARY, "use.cu": _USE}).kernels())


def _arguments(kernel: Kernel) -> list[tuple[str, ...]]:
    assert {instantiation.origin for instantiation in kernel.instantiations} <= {
        InstantiationOrigin.DEFAULT
    }
    return [instantiation.arguments for instantiation in kernel.instantiations]


def test_a_class_is_found_by_the_members_that_are_asked_of_it(
    kernels: dict[str, Kernel],
) -> None:
    assert _arguments(kernels["lib::held"]) == [
        ("lib::Held<float, 32>",),
        ("lib::Held<int, 32>",),
    ]


def test_only_what_compiles_is_kept(kernels: dict[str, Kernel]) -> None:
    assert _arguments(kernels["lib::both"]) == [
        ("lib::layout::Volume", "lib::layout::Volume", "lib::plus<float>")
    ]
    assert "struct Row" not in unit_of(kernels["lib::both"]).source


def test_what_is_called_is_a_class_whose_objects_take_as_many_arguments(
    kernels: dict[str, Kernel],
) -> None:
    assert _arguments(kernels["lib::folded"])[0] == (
        "float",
        "lib::plus<float>",
        "lib::absolute<float>",
    )


def test_what_nothing_fits_is_not_instantiated(kernels: dict[str, Kernel]) -> None:
    assert kernels["lib::never"].unit is None
    assert kernels["lib::never"].unit_problem.startswith("no-instantiation")


def test_where_the_default_set_does_not_compile_integers_are_tried(
    kernels: dict[str, Kernel],
) -> None:
    assert _arguments(kernels["lib::integral"]) == [("unsigned int",), ("int",)]


def test_arguments_of_a_class_that_a_project_uses_are_taken_over(
    kernels: dict[str, Kernel],
) -> None:
    assert _arguments(kernels["lib::narrow"]) == [("Wide",)]
    assert _arguments(kernels["lib::plane"]) == [("lib::layout::Row",)]


def test_what_a_project_uses_is_not_replaced(kernels: dict[str, Kernel]) -> None:
    assert [
        instantiation.arguments
        for instantiation in kernels["lib::volume"].instantiations
    ] == [("lib::layout::Volume",)]
    assert kernels["lib::volume"].instantiations[0].origin is InstantiationOrigin.LAUNCH


@pytest.mark.parametrize("name", ["plane", "held", "both", "folded", "narrow"])
def test_units_with_what_was_made_up_compile(
    kernels: dict[str, Kernel], name: str
) -> None:
    assert (
        build_unit(unit_of(kernels[f"lib::{name}"]), "sm_80").build.pass_call.message
        == ""
    )


def test_a_class_that_does_not_fit_gives_way_to_one_beside_it(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> None:
    kernels = index_kernels(project({"a.cu": _LENT}).kernels())
    assert _arguments(kernels["a::second"]) == [("a::Box<float, a::Cube>",)]


def test_what_others_tell_of_some_parameters_is_not_guessed(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> None:
    kernels = index_kernels(project({"a.cu": _LENT}).kernels())
    assert _arguments(kernels["a::third"])[0] == (
        "a::Box<float, a::Square>",
        "a::plus<float>",
    )


def test_first_choices_are_combined_first() -> None:
    assert list(order_combinations([3, 1, 2])) == [
        (0, 0, 0),
        (0, 0, 1),
        (1, 0, 0),
        (1, 0, 1),
        (2, 0, 0),
        (2, 0, 1),
    ]
    assert next(islice(order_combinations([40] * 8), 8, None)) == (
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
    )


def test_what_is_compiled_of_a_unit_is_bounded(
    monkeypatch: pytest.MonkeyPatch,
    project: Callable[..., Any],
    index_kernels: Callable[..., dict[str, Kernel]],
) -> None:
    monkeypatch.setattr(
        "crawler.extract.templates.uninstantiated_templates.MAX_TRIAL_TEXT", -1
    )
    kernels = index_kernels(project({"library.h": _LIBRARY, "use.cu": _USE}).kernels())
    assert kernels["lib::folded"].unit is None
    assert [
        instantiation.arguments
        for instantiation in kernels["lib::volume"].instantiations
    ] == [("lib::layout::Volume",)]


def test_guesses_end_with_what_a_unit_may_take_of_a_processor(
    monkeypatch: pytest.MonkeyPatch,
    project: Callable[..., Any],
    index_kernels: Callable[..., dict[str, Kernel]],
) -> None:
    monkeypatch.setattr("resource.getrlimit", lambda _: (int(time.process_time()), -1))
    kernels = index_kernels(project({"library.h": _LIBRARY, "use.cu": _USE}).kernels())
    assert kernels["lib::folded"].unit is None
    assert kernels["lib::volume"].unit is not None


@pytest.mark.parametrize(
    ("name", "argument"),
    [
        ("lib::chosen", "lib::Mode::FAST"),
        ("lib::many", "128"),
        ("lib::third_of", "float (*)(float, float, float)"),
        ("lib::swapped", "float4"),
    ],
)
def test_what_no_class_of_the_project_is_is_one_of_the_language(
    kernels: dict[str, Kernel], name: str, argument: str
) -> None:
    assert _arguments(kernels[name])[0] == (argument,)
