"""A unit holds what C++ would look up, not what merely has the same name, and no host side of a
class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.cpp.files.identifier_uses import collect_text_identifiers
from crawler.model import Kernel, KernelUnit, Status
from crawler.validate.build import build_unit

TEXT = """#include <cuda_runtime.h>
#define OURS near_by
struct Log { static void fatal(const char* message, ...); };
namespace vendor {
namespace detail { struct Format { int width; }; }
template <typename T> __device__ T twice(T v) { return v + v; }
struct count { int n; };
}
namespace far_off {
inline namespace v2 {
struct Value { float v; };
__device__ float weigh(const Value& one) { return one.v; }
}
}
namespace near_by {
namespace detail {
struct Format { float scale; };
template <typename T> __device__ T halved(T v) { return v / 2; }
}
template <typename T> __device__ T twice(T v) { return 2 * detail::halved(v); }
namespace tools { __device__ inline float cubed(float v) { return v * v * v; } }
using namespace tools;
struct Table {
  Table(int n) : size(n) { Log::fatal("made"); }
  ~Table() { release(); }
  void release() { Log::fatal("released %d", size); }
  template <typename F> void each(F call) { for (int at = 0; at < size; ++at) call(at); Log::fatal(""); }
  virtual int kind() const { Log::fatal("virtual"); return 0; }
  __host__ __device__ float at(int i) const { return values[i] * scaled(); }
  constexpr static int lanes() { return 32; }
  static float on_host() { Log::fatal("host"); return 1; }
  __device__ float scaled() const { return 0.5f; }
  int size;
  float* values;
};
__global__ void calls(float* out, far_off::Value* in, Table* table) {
  int count = 3;
  detail::Format format{2.0f};
  out[0] = twice(format.scale) + cubed(out[1]) + weigh(in[count]) + table->at(Table::lanes());
  out[1] = OURS::twice(out[2]);
}
}
"""
ARGUMENT = """#include <ATen/ATen.h>
template <typename T> __global__ void k(T* out) { out[0] = T(1); }
void launch(at::Half* out) { k<<<1, 32>>>(out); }
"""


@pytest.fixture(scope="module")
def unit(project: Callable[..., Any]) -> KernelUnit:
    (kernel,) = project({"k.cu": TEXT}).kernels()
    assert kernel.unit is not None
    return kernel.unit  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    "name", ["halved", "twice", "cubed", "weigh", "Value", "scale;", "OURS", "Table"]
)
def test_what_the_kernel_reaches_is_there(unit: KernelUnit, name: str) -> None:
    assert name in unit.source


@pytest.mark.parametrize(
    "name",
    ["vendor", "width", "struct count", "Log", "fatal", "each", "on_host", "released"],
)
def test_namesakes_and_the_host_side_of_classes_are_not(
    unit: KernelUnit, name: str
) -> None:
    assert name not in unit.source


def test_what_decides_how_a_class_is_laid_out_keeps_its_declaration(
    unit: KernelUnit,
) -> None:
    lines = [line.strip() for line in unit.source.splitlines()]
    assert {"Table(int n) ;", "~Table() ;", "virtual int kind() const ;"} <= set(lines)


@pytest.mark.apt("clang-19")
def test_and_it_compiles(unit: KernelUnit) -> None:
    verdict = build_unit(unit, "sm_80").build.pass_call
    assert (verdict.status, verdict.message) == (Status.PASS, "")


def test_a_template_argument_brings_its_prelude(project: Callable[..., Any]) -> None:
    (kernel,) = project({"k.cu": ARGUMENT}).kernels()
    assert kernel.unit.source.startswith("#include <kernelset/torch.cuh>")


MEMBERS = """#include <cuda_runtime.h>
namespace n {
template <typename T, int N> class Op {
  template <typename U> static __global__ void two(U* out, T v) { out[0] = v + N; }
  static __global__ void one(T* out) { out[threadIdx.x] = N; }
 public:
  static void go(T* out) { one<<<1, N>>>(out); two<double><<<1, N>>>((double*)out, T(0)); }
};
}
void run(float* p) { n::Op<float, 7>::go(p); }
"""


@pytest.mark.apt("clang-19")
def test_members_of_a_class_template_are_instantiated_through_their_class(
    project: Callable[..., Any],
) -> None:
    kernels = {kernel.name: kernel for kernel in project({"k.cu": MEMBERS}).kernels()}
    assert [
        instantiation.arguments for instantiation in kernels["one"].instantiations
    ] == [("float", "7")]
    assert [
        instantiation.arguments for instantiation in kernels["two"].instantiations
    ] == [("float", "7", "double")]
    assert (
        kernels["two"].template_head
        == "template <typename T, int N> template <typename U>"
    )
    line = kernels["two"].unit.source.splitlines()[-1]
    assert (
        line
        == "template __global__ decltype(n::Op<float, 7>::two<double>) n::Op<float, 7>::two<double>;"
    )
    for kernel in kernels.values():
        build = build_unit(kernel.unit, "sm_80").build
        assert (build.pass_call.message, build.symbols) == (
            "",
            (kernel.instantiations[0].symbol,),
        )


CHECKED = """#include <cuda_runtime.h>
#include <cstdio>
#define CHECKED(call) check((call), __FILE__, __LINE__)
struct Elsewhere {};
inline void report(const char* file) { printf("%s", file); }
static void check(cudaError_t code, const char* file, int line) { if (code) report(file); }
struct Held {
  __host__ __device__ ~Held() { if (data) CHECKED(cudaFree(data)); }
  float* data;
};
__global__ void k(Held* held) { held->data[0] = 1; }
"""


@pytest.mark.apt("clang-19")
def test_a_host_function_that_device_code_names_is_declared(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"k.cu": CHECKED}).kernels()
    assert (
        "static void check(cudaError_t code, const char* file, int line) ;"
        in kernel.unit.source
    )
    assert "report" not in kernel.unit.source
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


def test_a_directive_whose_namespace_shares_its_name_with_a_type_is_read(
    project: Callable[..., Any],
) -> None:
    source = """
    namespace elsewhere { struct memory { int size; }; }
    namespace outer { namespace memory { __device__ int space() { return 1; } }
    using namespace memory;
    __global__ void k(int *p) { *p = space(); } }
    """
    (kernel,) = project({"k.cu": source}).kernels()
    assert "space" in kernel.unit.source


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("auto f(int a) const -> Ray { return g()->size; }", {"Ray", "g"}),
        ("auto h(A const &c) const -> ns::R<T>;", {"A", "R", "T"}),
        ("auto k = [&](T x) -> Ret { return p->q; };", {"T", "Ret", "p"}),
        ("auto y = f(1)->size + (c)->d;", {"f", "c"}),
    ],
)
def test_a_type_behind_an_arrow_is_no_member(code: str, names: set[str]) -> None:
    named = {
        mention.name
        for mention in collect_text_identifiers(code)
        if not mention.is_member
    }
    assert names <= named
    assert named.isdisjoint({"size", "q", "d"})


TRAITS = """#include <tuple>
#include <type_traits>
struct Small { int n; };
struct Unnamed { int n; };
template <class T> struct Traits { static constexpr int kSize = 1; };
template <> struct Traits<Small> { static constexpr int kSize = 2; };
template <> struct Traits<Unnamed> : Small { static constexpr int kSize = 3; };
template <class T> struct Traits<T*> { static constexpr int kSize = 4; };
template <class T, int N> struct Many {};
template <class T, int N> struct Traits<Many<T, N>> { static constexpr int kSize = N; };
using Other = Unnamed;
template <> struct Traits<Many<Other, 2>> { static constexpr int kSize = 6; };
struct Held {};
namespace std { template <> struct tuple_size<Held> { static constexpr int value = 7; }; }
template <class T, class = void> struct Sized { static constexpr int kSize = 0; };
template <class T> struct Sized<T, std::void_t<decltype(std::tuple_size<T>::value)>> { static const int kSize = 8; };
template <class T> struct IsOdd { static constexpr bool value = false; };
template <class T, class = void> struct Asked { static const int kSize = 0; };
template <class T> struct Asked<T*, std::enable_if_t<not IsOdd<T>::value>> { static const int kSize = 9; };
template <class T> __global__ void sized(T* out) {
  out[0].n = Traits<T>::kSize + Sized<T>::kSize + Asked<T*>::kSize;
}
void f(Small* a) { sized<<<1, 2>>>(a); }
template <class T> __global__ void twice(int* out) { out[0] = Traits<T>::kSize; }
void g(int* a) { twice<Many<Unnamed, 2>><<<1, 2>>>(a); }
"""


def test_a_specialisation_comes_along_with_the_types_that_it_is_for(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> None:
    kernels = index_kernels(project({"a.cu": TRAITS}).kernels())
    sized_unit, twice_unit = kernels["sized"].unit, kernels["twice"].unit
    assert sized_unit is not None
    assert twice_unit is not None
    sized_source, twice_source = sized_unit.source, twice_unit.source
    assert "Traits<Small>" in sized_source
    assert "Traits<T*>" in sized_source
    assert "Unnamed" not in sized_source
    assert "Many" not in sized_source
    assert "Sized<T, std::void_t" in sized_source
    assert "Asked<T*, std::enable_if_t<not IsOdd<T>::value>>" in sized_source
    assert all(
        text in twice_source
        for text in ("Traits<Unnamed>", "Traits<Many<T, N>>", "Traits<Many<Other, 2>>")
    )
    assert build_unit(twice_unit, "sm_80").build.pass_call.message == ""
