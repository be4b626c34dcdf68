"""What a unit takes along: everything that its kernel names, or uses without a name, and
nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.closure.includes.library_headers import select_library_headers
from crawler.model import Dialect, Kernel, Rung

GEOMETRY = """
#pragma once
#define FUNC __host__ __device__ inline
namespace geo {
template <typename T> struct Vec {
  T x, y;
  FUNC Vec(T x, T y);
  template <typename U> FUNC Vec(const Vec<U>& other);
  FUNC T dot(const Vec& other) const;
};
template <typename T> FUNC Vec<T>::Vec(T x, T y) : x(x), y(y) {}
template <typename T>
template <typename U>
FUNC Vec<T>::Vec(const Vec<U>& other) : x(other.x), y(other.y) {}
template <typename T> FUNC T Vec<T>::dot(const Vec& other) const { return x * other.x + y * other.y; }
template <typename T> FUNC Vec<T> operator*(const Vec<T>& one, T by) { return Vec<T>(one.x * by, one.y * by); }
template <typename T> FUNC Vec<T> operator-(const Vec<T>& one) { return Vec<T>(-one.x, -one.y); }
struct Colour { int red; };
FUNC Colour operator*(Colour one, int by) { return Colour{one.red * by}; }
}  // namespace geo
"""
KERNEL = """
#include "geometry.h"
#include <algorithm>
#include <cstdio>
static const int kScale = 3, kOther = 4;
template <typename T> constexpr int kWide = 16 / sizeof(T);
template <typename T> constexpr int kWide<T*> = 2;
static void host_only() { printf("%d", kOther); }
template <typename T> __device__ T twice(T value);
template <typename T> __device__ T twice(T value) { return value + value; }
namespace geo {
template <typename T> __global__ void scaled(T* out, int n) {
  Vec<T> one = Vec<T>(Vec<int>(1, 2)) * T(kScale);
  out[threadIdx.x] = one.dot(one) + twice(T(std::min(n, 1)));
}
}  // namespace geo
template <typename T> __global__ void declared_before(T* out);
void launch(float* out) { declared_before<float><<<1, 32>>>(out); geo::scaled<double><<<1, 32>>>((double*)out, 1); }
template <typename T> __global__ void declared_before(T* out) { out[0] = twice(T(1)); }
int main() { host_only(); }
namespace geo { __global__ void renamed(int* out) { out[0] = kWide<float*> + kWide<char>; } }
using geo::renamed;
"""


@pytest.fixture(scope="module")
def units(
    project: Callable[..., Any], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, str]:
    kernels = index_kernels(
        project({"geometry.h": GEOMETRY, "kernel.cu": KERNEL}).kernels()
    )
    return {name: kernel.unit.source for name, kernel in kernels.items() if kernel.unit}


def test_members_defined_outside_their_class_come_with_every_template_head(
    units: dict[str, str],
) -> None:
    assert (
        "template <typename T>\ntemplate <typename U>\nFUNC Vec<T>::Vec(const Vec<U>& other)"
        in units["geo::scaled"]
    )
    assert "T Vec<T>::dot(const Vec& other) const {" in units["geo::scaled"]


def test_operators_come_with_their_types_and_only_where_their_sign_is_written(
    units: dict[str, str],
) -> None:
    assert "operator*(const Vec<T>& one, T by)" in units["geo::scaled"]
    assert "Colour" not in units["geo::scaled"]
    assert "operator" not in units["declared_before"]


def test_what_the_compiler_makes_of_a_template_is_not_taken_for_a_declaration(
    units: dict[str, str],
) -> None:
    assert units["declared_before"].count("declared_before(T* out) {") == 1
    assert units["declared_before"].count("T twice(T value) {") == 1


def test_templates_of_variables_come_along_with_their_specialisations(
    units: dict[str, str],
) -> None:
    assert (
        "template <typename T> constexpr int kWide = 16 / sizeof(T);"
        in units["geo::renamed"]
    )
    assert "template <typename T> constexpr int kWide<T*> = 2;" in units["geo::renamed"]
    assert "kWide" not in units["geo::scaled"]


def test_another_name_of_the_kernel_does_not_stand_before_it(
    units: dict[str, str],
) -> None:
    assert "using geo::renamed" not in units["geo::renamed"]


def test_nothing_of_the_host_comes_along(units: dict[str, str]) -> None:
    for source in units.values():
        assert "host_only" not in source
        assert "launch" not in source
    assert "kScale" in units["geo::scaled"]
    assert "kScale" not in units["declared_before"]


def test_a_standard_name_brings_its_header(units: dict[str, str]) -> None:
    assert "#include <algorithm>" in units["geo::scaled"]
    assert "#include <algorithm>" not in units["declared_before"]


def test_a_namespace_that_is_only_opened_brings_its_header(
    project: Callable[..., Any],
) -> None:
    text = "#include <cooperative_groups.h>\nusing namespace cooperative_groups;\n"
    text += (
        "__global__ void k(int* out) { out[0] = this_thread_block().thread_rank(); }\n"
    )
    (kernel,) = project({"k.cu": text}).kernels()
    assert "#include <cooperative_groups.h>" in kernel.unit.source


def test_headers_are_called_as_the_dialect_calls_them() -> None:
    assert select_library_headers({"cooperative_groups"}, (), Dialect.HIP) == (
        "<hip/hip_cooperative_groups.h>",
    )
    assert select_library_headers({"cub", "std", "max"}, (), Dialect.CUDA) == (
        "<algorithm>",
        "<cub/cub.cuh>",
    )
    assert select_library_headers({"cub", "max"}, {"cub"}, Dialect.CUDA) == ()


def test_a_newer_standard_of_the_command_is_kept(project: Callable[..., Any]) -> None:
    text = "#include <span>\ntemplate <typename T> __global__ void k(T* out) { out[0] = 1; }\n"
    text += "void launch(std::span<float> all) { k<<<1, 32>>>(all.data()); }\n"
    (kernel,) = project({"k.cu": text}, "-std=c++20").kernels()
    assert [instantiation.arguments for instantiation in kernel.instantiations] == [
        ("float",)
    ]


def test_a_flag_of_zero_is_a_null_stream(project: Callable[..., Any]) -> None:
    text = "template <typename T> __global__ void k(T* out) { out[0] = 1; }\n"
    text += "void launch(float* out) { k<<<1, 32, 0, cudaStreamDefault>>>(out); }\n"
    (kernel,) = project({"k.cu": text}).kernels()
    assert [launch.template_arguments for launch in kernel.launches] == [(("float",),)]


def test_an_overload_that_takes_a_host_container_stays_behind(
    project: Callable[..., Any],
) -> None:
    text = """#include <vector>
template <typename I> __host__ __device__ I flat(std::vector<I>& shape) { return shape[0]; }
template <typename I> __host__ __device__ I flat(const I* shape) { return shape[0]; }
__global__ void k(int* out, const int* at) { out[at[0]] = flat(at); }
"""
    (kernel,) = project({"a.cu": text}).kernels()
    assert kernel.unit
    assert "flat(const I* shape)" in kernel.unit.source
    assert "vector" not in kernel.unit.source
    # a variable that is called like PyTorch's namespace asks for nothing of it
    assert kernel.unit.source.startswith("#include <kernelset/cuda.cuh>\n")


_HELPERS = """
inline __host__ __device__ float3 operator+(float3 a, float3 b) { return make_float3(a.x + b.x, a.y + b.y, a.z + b.z); }
inline __host__ __device__ void operator+=(float3 &a, float3 b) { a = a + b; }
inline __host__ __device__ int4 operator+(int4 a, int4 b) { a.x += b.x; return a; }
"""


def test_operators_that_a_project_gives_to_types_of_cuda_come_along(
    project: Callable[..., Any],
) -> None:
    source = '#include "helpers.h"\n__global__ void push(float4 *p) { float3 a = make_float3(1, 2, 3); a += a; p->x = a.x; }'
    (kernel,) = project({"push.cu": source, "helpers.h": _HELPERS}).kernels()
    assert "operator+=(float3" in kernel.unit.source
    assert "operator+(float3" in kernel.unit.source
    assert "int4" not in kernel.unit.source


_COMPLEX = """typedef double2 number;
inline __device__ bool operator==(number a, number b) { return a.x == b.x && a.y == b.y; }
template <class T> __global__ void clear(T *x, T of) { if (x[0] == of) x[0] = T{}; }
template <class T> void launch_clear(T *x) { clear<T><<<1, 1>>>(x, x[1]); }
"""


def test_operators_on_another_name_of_a_template_argument_come_along(
    project: Callable[..., Any],
) -> None:
    uses = '#include "clear.cuh"\nvoid run({0} *x) {{ launch_clear<{0}>(x); }}'
    files = {"clear.cuh": _COMPLEX, "run.cu": uses.format("double2")}
    (kernel,) = project(files).kernels()
    assert "operator==(number" in kernel.unit.source
    assert kernel.unit.rung is Rung.MINIMAL

    files["run.cu"] = uses.format("int")
    (kernel,) = project(files).kernels()
    assert "operator==" not in kernel.unit.source


_INSTANTIATED_CLASS = """namespace lib {
struct Small { int n; };
struct Big { int n; };
template <class T> struct Map {
  T item;
  __device__ Map(T value);
};
template <class T> __device__ Map<T>::Map(T value) : item(value) {}
template struct Map<Big>;
template <class T> __global__ void k(T *from, int *x) { *x = Map(*from).item.n; }
}
void run(lib::Small *s, int *x) { lib::k<<<1, 1>>>(s, x); }
"""


@pytest.mark.timeout(60)
def test_a_call_may_lead_to_an_instantiation_whose_types_never_come(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"k.cu": _INSTANTIATED_CLASS}).kernels()
    assert "Map<T>::Map(T value)" in kernel.unit.source
    assert "Map<Big>" not in kernel.unit.source
