"""Which template arguments a kernel gets: those that are used, else plausible ones, never more
than a unit bears.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from crawler.extract.templates.instantiations import order_for_unit
from crawler.model import Instantiation, InstantiationOrigin, Kernel

UNUSED = """
enum class Mode { kFirst, kSecond };
template <typename T> __global__ void values(T* out, const T* in) { out[threadIdx.x] = in[threadIdx.x]; }
template <typename scalar_t, typename I> __global__ void gathers(scalar_t* out, const scalar_t* in, const I* at) {
  out[threadIdx.x] = in[at[threadIdx.x]];
}
template <typename T, int N> __global__ void tiled(T* out) { __shared__ T tile[N]; out[0] = tile[0]; }
template <int kBlockThreads, int kVecSize, int NDim, bool kFast, unsigned int W, size_t S> __global__ void numbers() {}
template <Mode M> __global__ void chosen(int* out) { out[0] = int(M); }
template <typename T, typename Acc = T, int N = sizeof(Acc)> __global__ void defaulted(T* out) { out[0] = N; }
template <typename Traits> __global__ void traits(typename Traits::value* out) { out[0] = Traits::kOne; }
template <typename T, typename Op> __global__ void mapped(T* out, Op op) { out[0] = op(out[0]); }
template <typename Op> __global__ void kept(float* out) { Op op; out[0] = op(out[0]); }
template <typename Op> __global__ void built(float* out, int by) { Op op(by); out[0] = op(out[0]); }
template <typename T> __global__ void summed(T* out) { T sum(0); out[0] = sum + T(1); }
template <typename Node> __global__ void walked(const Node* __restrict__ nodes, int* out) { out[0] = nodes[1].next; }
template <typename State> __global__ void stepped(State* state) { state->step += 1; }
template <typename View> __global__ void viewed(View view) { view.store(0, 1.0f); }
template <typename T> __global__ void largest(T* out, T v) { atomicMax(out, v); }
enum Format { FORMAT_NONE, FORMAT_PACKED };
template <Format F> struct Block;
template <> struct Block<FORMAT_PACKED> { static constexpr int size = 2; };
template <Format F> __global__ void unpacked(int* out) { out[0] = Block<F>::size; }
namespace kinds {
enum class Kind { kNone, kWide, kNarrow };
template <int N> struct Wide;
template <> struct Wide<8> { static constexpr int size = 3; };
template <class T> struct Pair;
template <> struct Pair<__half> { using type = __half2; };
template <int kLanes, Kind K, int kRows, int kStages, typename T> __global__ void told(T* out) {
  static_assert(kRows == 16 || kRows == 64, "rows");
  if constexpr (K == kinds::Kind::kNarrow) out[0] = T(Wide<kLanes>::size);
  typename Pair<T>::type two;
}
}
namespace kinds {
typedef unsigned short short_t;
using index_t = short_t;
template <index_t Count> __global__ void counted(int* out) { out[0] = Count; }
}
template <template <typename> class C> __global__ void of_template(C<int>* out) {}
"""


@pytest.fixture(scope="module")
def unused_kernels(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return index_kernels(project({"unused.cu": UNUSED}).kernels())


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("values", [("float",), ("double",)]),
        ("summed", [("float",), ("double",)]),
        ("gathers", [("float", "int"), ("double", "int"), ("float", "long")]),
        ("tiled", [("float", "32"), ("double", "32")]),
        (
            "numbers",
            [
                ("128", "4", "2", "false", "32", "32"),
                ("128", "4", "2", "true", "32", "32"),
            ],
        ),
        ("chosen", [("static_cast<Mode>(0)",)]),
        ("unpacked", [("FORMAT_PACKED",)]),
        ("kinds::told", [("8", "kinds::Kind::kNarrow", "16", "4", "__half")]),
        ("kinds::counted", [("32",)]),
        (
            "defaulted",
            [
                ("float", "float", "sizeof(float)"),
                ("double", "double", "sizeof(double)"),
            ],
        ),
        ("largest", [("unsigned int",), ("int",)]),
        (
            "mapped",
            [("float", "float (*)(float)"), ("unsigned int", "float (*)(float)")],
        ),
    ],
)
def test_a_template_that_nobody_uses_gets_the_default_set(
    unused_kernels: dict[str, Kernel], name: str, expected: list[tuple[str, ...]]
) -> None:
    instantiations = unused_kernels[name].instantiations
    assert [instantiation.arguments for instantiation in instantiations] == expected
    assert {instantiation.origin for instantiation in instantiations} == {
        InstantiationOrigin.DEFAULT
    }
    unit = unused_kernels[name].unit
    assert unit is not None
    assert unit.source.endswith(f"{name}<{', '.join(expected[-1])}>;\n")


@pytest.mark.parametrize(
    "name",
    ["traits", "kept", "built", "walked", "stepped", "viewed", "of_template"],
)
def test_a_parameter_that_cannot_be_guessed_gives_no_instantiation(
    unused_kernels: dict[str, Kernel], name: str
) -> None:
    assert unused_kernels[name].instantiations == ()
    assert unused_kernels[name].unit is None
    assert unused_kernels[name].unit_problem.startswith("no-instantiation: ")


def test_what_a_launch_writes_counts_where_the_compiler_cannot_say(
    project: Callable[..., Any],
) -> None:
    text = """#include "not/there.h"
template <bool kFast, typename T> __global__ void k(T* out) { out[0] = kFast; }
template <typename T> struct Runner : NotThere<T> {
  void run(float* out) { k<true, float><<<1, 2>>>(out); k<false, T><<<1, 2>>>(out); }
};
"""
    (kernel,) = project({"k.cu": text}).kernels()
    assert [
        (instantiation.arguments, instantiation.origin)
        for instantiation in kernel.instantiations
    ] == [(("true", "float"), InstantiationOrigin.LAUNCH)]
    assert [launch.template_arguments for launch in kernel.launches] == [
        (("true", "float"),),
        (),
    ]


def test_a_guess_of_one_unit_does_not_hide_what_another_uses(
    project: Callable[..., Any],
) -> None:
    files = {
        "k.cuh": "template <typename T> __global__ void k(T* p) { *p = 1; }\n",
        "a.cu": '#include "k.cuh"\n',
        "b.cu": '#include "k.cuh"\nvoid b(float* p) { k<<<1, 2>>>(p); }\n',
        "c.cu": '#include "k.cuh"\nvoid c(double* p) { k<<<1, 2>>>(p); }\n',
    }
    (kernel,) = project(files).kernels()
    assert {
        (instantiation.arguments, instantiation.origin)
        for instantiation in kernel.instantiations
    } == {
        (("float",), InstantiationOrigin.LAUNCH),
        (("double",), InstantiationOrigin.LAUNCH),
    }


def _instantiate(count: int, origin: InstantiationOrigin) -> list[Instantiation]:
    return [
        Instantiation(arguments=(str(index),), label=str(index), origin=origin)
        for index in range(count)
    ]


def test_a_unit_bears_a_spread_of_too_many_instantiations_and_the_kernel_keeps_all() -> (
    None
):
    instantiations = _instantiate(500, InstantiationOrigin.DISPATCH)
    ordered, count = order_for_unit(instantiations, 10_000)
    assert count == 40
    assert set(ordered) == set(instantiations)
    assert len(ordered) == 500
    chosen = [int(instantiation.label) for instantiation in ordered[:count]]
    assert chosen[0] < 20
    assert chosen[-1] > 480
    assert max(later - earlier for earlier, later in pairwise(chosen)) <= 13


def test_the_best_founded_instantiations_are_in_the_unit() -> None:
    dispatched = _instantiate(100, InstantiationOrigin.DISPATCH)
    launched = Instantiation(
        arguments=("float",), label="float", origin=InstantiationOrigin.LAUNCH
    )
    ordered, count = order_for_unit([*dispatched, launched], 20_000)
    assert count < 100
    assert ordered[0] == launched


def test_small_kernels_have_all_their_instantiations_in_one_unit() -> None:
    instantiations = _instantiate(300, InstantiationOrigin.LAUNCH)
    assert order_for_unit(instantiations, 50) == (tuple(instantiations), 300)


def test_a_kernel_that_only_takes_lambdas_says_so(project: Callable[..., Any]) -> None:
    source = """
    template <typename T, typename F> __global__ void each(T *p, F f) { *p = f(*p) + f(*p, *p); }
    void run(float *p) { each<<<1, 1>>>(p, [] __device__ (auto... x) { return 1.0f; }); }
    """
    (kernel,) = project({"each.cu": source}).kernels()
    assert (kernel.unit, len(kernel.launches)) == (None, 1)
    assert "such as a lambda" in kernel.unit_problem


def test_a_launch_that_a_missing_header_leaves_unresolved_says_so(
    project: Callable[..., Any],
) -> None:
    source = """
    #include "library/shapes.h"
    template <typename T> __global__ void each(typename T::value *p) { *p = T::kOne; }
    void run(library::Shape::value *p) { each<library::Shape><<<1, 1>>>(p); }
    """
    (kernel,) = project({"each.cu": source}).kernels()
    assert (kernel.unit, len(kernel.launches)) == (None, 1)
    assert kernel.unit_problem.startswith(
        "missing-header: its launches are not resolved, and library/shapes.h not among"
    )


def test_an_overload_is_the_one_that_device_code_has(
    project: Callable[..., Any],
) -> None:
    text = """#include <type_traits>
template <class T> struct Known { static constexpr bool exists = false; };
#ifdef __CUDA_ARCH__
template <> struct Known<short> { static constexpr bool exists = true; };
#endif
template <class T> __global__ std::enable_if_t<Known<T>::exists> k(T* x) { x[0] = 1; }
template <class T> __global__ std::enable_if_t<!Known<T>::exists> k(T* x) { x[0] = 2; }
void f(short* a, int* b) { k<<<1, 2>>>(a); k<<<1, 2>>>(b); }
"""
    special, general = project({"a.cu": text}).kernels()
    assert [instantiation.arguments for instantiation in special.instantiations] == [
        ("short",)
    ]
    assert [instantiation.arguments for instantiation in general.instantiations] == [
        ("int",)
    ]


def test_a_kernel_that_only_calls_is_as_long_as_what_it_calls(
    project: Callable[..., Any],
) -> None:
    lines = "\n" * 60_000
    launches = "".join(f"fill<{size}><<<1, 1>>>(out);" for size in range(1, 21))
    source = f"""
template <int N> __device__ int sized() {{{lines}return N; }}
template <int N> __global__ void fill(int* out) {{ *out = sized<N>(); }}
void run(int* out) {{ {launches} }}
"""
    (kernel,) = project({"k.cu": source}).kernels()
    assert len(kernel.instantiations) == 20
    assert len(kernel.unit.instantiations) == 16
