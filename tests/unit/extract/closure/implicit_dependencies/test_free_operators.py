"""Operators that macros make, operators for anything, and macros that a project defines twice."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from crawler.model import Dialect, Kernel
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags
from tests.unit.extract.builders import unit_of

_CONSTANTS = """
#pragma once
#define BOTH __host__ __device__
namespace num {
template <int v> struct C { static constexpr int value = v; };
#define MAKE(OP) template <int t, int u> BOTH constexpr C<(t OP u)> operator OP(C<t>, C<u>) { return {}; }
MAKE(==)
MAKE(+)
#undef MAKE
}
"""
_TUPLES = r"""
#pragma once
#include <type_traits>
#include "constants.h"
#define MAKE(NAME, OP) \
  struct NAME { template <class T> BOTH constexpr auto operator()(T a, T b) const { return a OP b; } };
namespace num {
MAKE(plus, +)
template <class... T> struct Pair {};
template <class T> struct is_pair : std::false_type {};
template <class... T> struct is_pair<Pair<T...>> : std::true_type {};
template <class A, class B, std::enable_if_t<is_pair<A>::value && is_pair<B>::value, int> = 0>
BOTH constexpr auto operator==(A const&, B const&) { return C<1>{}; }
}
namespace other {
template <class A, class B> BOTH constexpr bool operator==(A const&, B const&) { return false; }
}
#undef MAKE
"""
_KERNEL = """
#include "tuples.h"
template <class T> __global__ void k(T* out) {
  static_assert(decltype(num::C<1>{} == num::C<1>{})::value, "one");
  static_assert(decltype(num::Pair<T>{} == num::Pair<T>{})::value, "pair");
  out[0] = num::plus{}(out[0], T(1));
}
void launch(float* out) { k<<<1, 32>>>(out); }
"""


@pytest.fixture(scope="module")
def kernel(project: Callable[..., Any]) -> Kernel:
    (linked,) = project(
        {"constants.h": _CONSTANTS, "tuples.h": _TUPLES, "k.cu": _KERNEL}
    ).kernels()
    return cast(Kernel, linked)


def test_operators_that_a_macro_makes_come_along_by_their_sign(kernel: Kernel) -> None:
    assert "MAKE(==)" in unit_of(kernel).source


def test_an_operator_for_anything_comes_along_with_a_type_of_its_namespace(
    kernel: Kernel,
) -> None:
    assert "operator==(A const&, B const&) { return C<1>{}; }" in unit_of(kernel).source
    assert "return false" not in unit_of(kernel).source


def test_a_macro_means_what_it_meant_where_it_stood(kernel: Kernel) -> None:
    text = unit_of(kernel).source
    first, use, second, other = (
        text.index(part)
        for part in ("MAKE(OP)", "MAKE(==)", "MAKE(NAME, OP)", "MAKE(plus,")
    )
    assert first < use < second < other
    assert "#undef MAKE\n#define MAKE(NAME, OP)" in text


def test_such_a_unit_compiles(kernel: Kernel, tmp_path: Path) -> None:
    clang = discovery.find_clang()
    assert clang is not None
    (tmp_path / "unit.cu").write_text(unit_of(kernel).source)
    argv = [
        str(clang.path),
        *get_compile_flags(Dialect.CUDA, "sm_80"),
        "-fsyntax-only",
        str(tmp_path / "unit.cu"),
    ]
    ended = subprocess.run(argv, capture_output=True, text=True, timeout=120)
    assert (ended.returncode, ended.stderr) == (0, "")


_COMPLEX = """
#include <cuComplex.h>
#include <type_traits>
template <class T> using complex_of = std::conditional_t<std::is_same_v<T, float>, cuFloatComplex, cuDoubleComplex>;
__device__ cuFloatComplex &operator+=(cuFloatComplex &a, const cuFloatComplex &b) { a.x += b.x; return a; }
__device__ cuDoubleComplex &operator+=(cuDoubleComplex &a, const cuDoubleComplex &b) { a.x += b.x; return a; }
template <class T> __global__ void k(complex_of<T> *x) { x[0] += x[1]; }
void run(complex_of<float> *x) { k<float><<<1, 1>>>(x); }
"""


def test_operators_for_cuda_complex_numbers_come_where_only_an_alias_names_them(
    project: Callable[..., Any],
) -> None:
    (linked,) = project({"k.cu": _COMPLEX}).kernels()
    unit = unit_of(linked)

    assert "&operator+=(cuFloatComplex &a" in unit.source
    assert not unit.attempts
