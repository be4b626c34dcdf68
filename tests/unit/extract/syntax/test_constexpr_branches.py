"""A kernel that only a branch names which nothing instantiates takes what that branch asks for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.extract.syntax.constexpr_branches import find_branch_conditions
from crawler.model import InstantiationOrigin, Kernel
from crawler.validate.build import build_unit

pytestmark = pytest.mark.apt("clang-19")

_LIBRARY = """
namespace lib {
enum class Version { v1, v2, v3 };
enum class Tail { None, Odd, Even };
template <Version kVersion> struct Pipe {};
template <> struct Pipe<Version::v1> { float one; };
template <> struct Pipe<Version::v3> { float two[2]; };
template <class T, Version kVersion> struct Tile { using P = Pipe<kVersion>; };
template <class Tile, bool kMain, Tail kTail = Tail::None> __global__ void once(float* out) {
  typename Tile::P pipe{};
  out[0] = pipe.one;
}
template <class Tile, bool kMain, Tail kTail = Tail::None, int kMore = 2> __global__ void twice(float* out) {
  static_assert(kTail != Tail::None);
  typename Tile::P pipe{};
  out[0] = pipe.two[1];
}
template <class T, Version kVersion> struct Operator {
  void run(float* out) {
    if constexpr (kVersion == Version::v1) {
      once<Tile<T, kVersion>, true><<<1, 1>>>(out);
    } else if constexpr (kVersion == Version::v2 || kVersion == Version::v3) {
      out[0] = 0;
    }
    if constexpr (Version::v3 == kVersion) {
      twice<Tile<T, kVersion>, false, Tail::Odd><<<1, 1>>>(out);
    }
  }
};
void use(float* out) { Operator<float, Version::v1>().run(out); }
}
"""
_CONDITIONS = """
template <int kA, bool kB, class C> void f() {
  if constexpr (kA == 1 && kB) { one(); } else { two(); }
  if constexpr (!kB) three(); else if constexpr (kA == E::x || (C::value && kA == E::y)) { four(); } else five();
  if constexpr (kA != 7) { six(); } else { if (kB) seven(); }
  for (int i = 0; i < kA; ++i) eight();
}
"""


@pytest.fixture(scope="module")
def kernels(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return index_kernels(project({"a.cu": _LIBRARY}).kernels())


def test_what_a_branch_compares_with_stands_in_what_the_kernel_beside_it_takes(
    kernels: dict[str, Kernel],
) -> None:
    (instantiation,) = kernels["lib::twice"].instantiations
    assert instantiation.arguments == (
        "lib::Tile<float, lib::Version::v3>",
        "false",
        "lib::Tail::Odd",
        "2",
    )
    assert instantiation.origin is InstantiationOrigin.DEFAULT


def test_its_unit_compiles(kernels: dict[str, Kernel]) -> None:
    unit = kernels["lib::twice"].unit
    assert unit is not None
    assert build_unit(unit, "sm_80").build.pass_call.message == ""


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("one", [({"kA": "1", "kB": "true"},)]),
        ("two", []),
        ("three", [({"kB": "false"},)]),
        ("four", [({"kB": "true"},), ({"kA": "E::x"}, {"kA": "E::y"})]),
        ("five", [({"kB": "true"},)]),
        ("six", []),
        ("seven", [({"kA": "7"},)]),
        ("eight", []),
    ],
)
def test_conditions_round_a_place(
    text: Callable[[str], SourceText],
    word: str,
    expected: list[tuple[dict[str, str], ...]],
) -> None:
    assert (
        list(find_branch_conditions(text(_CONDITIONS), _CONDITIONS.index(word + "(")))
        == expected
    )


def test_brackets_that_never_close_are_no_branch(
    text: Callable[[str], SourceText],
) -> None:
    source = "void f() { if constexpr (a == b { if constexpr (c) ( g(); }"
    assert find_branch_conditions(text(source), source.index("g(")) == ()


def test_a_condition_without_words_tells_nothing(
    text: Callable[[str], SourceText],
) -> None:
    source = "void f() { if constexpr () { g(); } else { h(); } }"
    assert find_branch_conditions(text(source), source.index("g(")) == ()
    assert find_branch_conditions(text(source), source.index("h(")) == ()
