"""Kernels of a header-only library that a project carries: their units take of it what they
need, and compile.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from crawler.builds.database.compile_database import build_compile_database
from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import Kernel, Status
from crawler.validate.build import build_unit as compiled

pytestmark = pytest.mark.apt("clang-19")

LIBRARY = """
#pragma once
#include <cuda/std/utility>
#define LIB_CONSTEXPR_HERE constexpr
#define LIB_KERNEL __global__ static
namespace lib {
using ::cuda::std::swap;
template <class T> struct Half { T value; };
enum class Round { kNone, kNearest };
template <int M, int N> struct Shape { static const int kM = M; };
template <class Shape, class T, Round kRound> struct Op {};
template <> struct Op<Shape<32, 2>, Half<float>, Round::kNearest> { static const int kM = Shape<32, 2>::kM; };
template <class T> constexpr bool is_half = false;
template <class T> constexpr bool is_half<Half<T>> = true;
template <class T> LIB_CONSTEXPR_HERE auto encoding() { return sizeof(T); }
template <class T, int N> struct Array {
  T values[N];
  __host__ __device__ T& at(int place) { return values[place]; }
};
#if defined(LIB_OTHER)
__device__
#elif defined(__CUDACC__)
static __device__
#else
static
#endif
int twice(int x) { return 2 * x; }
template <class T> auto has_value(T*) -> decltype(T().value, ::cuda::std::true_type());
auto has_value(...) -> ::cuda::std::false_type;
template <class T> struct IsHalf : decltype(has_value((T*)0)) {};
using Four = unsigned _BitInt(4);
#if !defined(LIB_OTHER)
__device__ inline Four low(int x) {
#else
static int low(int x) {
#endif
  return IsHalf<Half<int>>::value ? x & 15 : 0;
}
#ifdef LIB_CHECKED
static int checked(int x) {
#else
__device__ int checked(int x) {
#endif
  return low(x);
#ifdef __CUDACC__
}
#else
}
#endif
namespace block {
template <class Shape, class T, bool kHalf = is_half<T>> struct Fill {
  static const int kThreads = Shape::kM;
  __device__ void operator()(int* out) const {
    int one = twice(Shape::kM) + checked(3), other = encoding<T>();
    lib::swap(one, other);
    Array<int, 2> both{{one, other}};
    for (int at = 0; kHalf && at < 2; ++at) out[at] = both.at(at);
  }
};
}  // namespace block
template <class Operator> LIB_KERNEL void run(Operator op, int* out) { op(out); }
}  // namespace lib
"""
USE = """
#include <lib.h>
namespace lib {
template <class Operator> void launch(int* out) { run<Operator><<<1, Operator::kThreads>>>(Operator(), out); }
}
namespace app {
using namespace lib;
template <class... All> __global__ void each(int* out) { out[0] = sizeof...(All); }
void some(int* out) { each<Half<Half<int>>><<<1, 1>>>(out); }
void all(int* out) { launch<block::Fill<Op<Shape<32, 2>, Half<float>, Round::kNearest>, Half<float>>>(out); }
}
"""


@pytest.fixture
def kernels(tmp_path: Path) -> Sequence[Kernel]:
    (tmp_path / "third_party/lib/include").mkdir(parents=True)
    (tmp_path / "third_party/lib/include/lib.h").write_text(LIBRARY)
    (tmp_path / "use.cu").write_text(USE)
    database = build_compile_database(tmp_path, strategies=("synthesised",))
    return link_kernels(
        extract_unit_facts(tmp_path, database.commands[number])
        for group in database.groups
        for number in group
    )


def test_its_unit_is_instantiated_as_used_and_compiles(
    kernels: Sequence[Kernel],
) -> None:
    kernel, of_pack = sorted(kernels, key=lambda kernel: kernel.name != "run")
    assert [instantiation.arguments for instantiation in of_pack.instantiations] == [
        ("lib::Half<lib::Half<int>>",)
    ]
    assert kernel.unit is not None
    (instantiation,) = kernel.instantiations
    operation = "lib::Op<lib::Shape<32, 2>, lib::Half<float>, lib::Round::kNearest>"
    assert instantiation.arguments == (
        f"lib::block::Fill<{operation}, lib::Half<float>>",
    )
    verdict = compiled(kernel.unit, "sm_80").build.pass_call
    assert (verdict.status, verdict.message) == (Status.PASS, "")


def test_its_unit_holds_whole_branches_and_no_torch(kernels: Sequence[Kernel]) -> None:
    unit, _ = [kernel.unit.source for kernel in kernels if kernel.unit]
    assert "#if defined(LIB_OTHER)\n__device__\n#elif" in unit
    assert "constexpr bool is_half<Half<T>> = true;" in unit
    assert unit.startswith(
        "#include <kernelset/cuda.cuh>\n#include <algorithm>\n#include <cuda/std/utility>\n"
    )
