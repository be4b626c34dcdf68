"""Units hold what macros make the names of, and the specialisations that something in them may
mean.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.model import Rung
from crawler.validate.build import build_unit

_PASTED = """
namespace lib {
struct Half { unsigned short bits; };
__device__ float half_to_float(Half x) { return x.bits; }
__device__ float byte_to_float(unsigned char x) { return x; }
__device__ float half_to_double(Half x) { return x.bits; }
template <class To, class From> __device__ To converted(From x) { return To(x); }
#define CONVERSION(to, to_name, from, from_name) \\
  template <> __device__ to converted<to, from>(from x) { return from_name ##_to_## to_name(x); }
CONVERSION(float, float, Half, half)
}
__global__ void widen(const lib::Half* in, float* out) { *out = lib::converted<float>(*in); }
void run(const lib::Half* in, float* out) { widen<<<1, 1>>>(in, out); }
"""
_TRAITS = """
namespace lib {
#define JOIN(a, b) a##b
#define TRAIT(name, member) \\
  template <class T, class = int> struct name { static constexpr bool value = false; }; \\
  template <class T> struct name<T, typename T::member> { static constexpr bool value = true; }; \\
  template <class T> inline constexpr bool JOIN(name, _v) = name<T>::value;
TRAIT(is_open, open)
struct door { using open = int; };
}
__global__ void count(int* out) { if (lib::is_open_v<lib::door>) *out = 1; }
void run(int* out) { count<<<1, 1>>>(out); }
"""
_CONDITION = """
template <bool, class T = void> struct when {};
template <class T> struct when<true, T> { using type = T; };
template <class T> struct plain { using type = T; static constexpr bool value = sizeof(T) < 8; };
struct Wide { double at[2]; };
template <class T> struct boxed { T it; };
template <class T, class = void> struct vectors;
template <class T> struct vectors<T, typename when<plain<T>::value>::type> { using type = T; };
template <class T> struct vectors<boxed<T>, void> { using type = Wide; };
template <class T> __global__ void fill(T* out) { *out = typename vectors<T>::type(1); }
void run(float* out) { fill<<<1, 1>>>(out); }
"""
_TABLE = """
#define JOIN(a, b) a##b
#define EXPAND(x) x
#define EACH1(f, x) f(x)
#define EACH2(f, x, y) f(x) + f(y)
#define EACH_OF(n, f, ...) EXPAND(JOIN(EACH, n)(f, __VA_ARGS__))
#define COUNT_OF(...) EXPAND(THIRD(__VA_ARGS__, 2, 1))
#define THIRD(a, b, n, ...) n
#define EACH(f, ...) EXPAND(EACH_OF(COUNT_OF(__VA_ARGS__), f, __VA_ARGS__))
#define TWICE(x) 2 * x
__global__ void sum(float* out) { *out = EACH(TWICE, out[1], out[2]); }
void run(float* out) { sum<<<1, 1>>>(out); }
"""
_ALIASED = """
template <int Scale> struct one_op { static constexpr int value = Scale; };
template <int Scale> struct other_op { static constexpr int value = 2 * Scale; };
template <int Scale> using short_one = one_op<Scale>;
template <int Scale> using short_other = other_op<Scale>;
using number = int;
template <class Op> struct traits;
template <int Scale> struct traits<short_one<Scale>> { static constexpr int value = Scale; };
template <int Scale> struct traits<short_other<Scale>> { static constexpr int value = Scale + 1; };
template <> struct traits<number> { static constexpr int value = 3; };
template <class Op> __global__ void fill(int* out) { *out = traits<Op>::value; }
void run(int* out) { fill<one_op<2>><<<1, 1>>>(out); fill<int><<<1, 1>>>(out); }
"""
_DECLARED = """
namespace lib {
#define VARIABLE(name, type, least) \\
    namespace lib::environment { \\
    struct name { static __host__ __device__ type value() { return least; } }; \\
    }
#define FLAG(name) VARIABLE(name, bool, false)
#define OF(name) lib::environment::name {}
template <class V> __host__ __device__ bool is_set(V) { return V::value(); }
}
FLAG(LOGGING)
FLAG(TRACING)
#define OPEN namespace opened { namespace inner {
#define CLOSE }}
OPEN
__device__ float one() { return 1; }
CLOSE
__global__ void told(float* out) { if (lib::is_set(OF(LOGGING))) *out = opened::inner::one(); }
void run(float* out) { told<<<1, 1>>>(out); }
"""
_DECOMPOSED = """
#include <utility>
namespace lib {
template <class A, class B> struct couple { A a; B b; };
template <int I, class A, class B> __device__ auto get(const couple<A, B>& c) {
  if constexpr (I == 0) return c.a; else return c.b;
}
}
namespace std {
template <class A, class B> struct tuple_size<lib::couple<A, B>> : integral_constant<size_t, 2> {};
template <class A, class B> struct tuple_element<0, lib::couple<A, B>> { using type = A; };
template <class A, class B> struct tuple_element<1, lib::couple<A, B>> { using type = B; };
}
__device__ lib::couple<int, float> made() { return {1, 2.0f}; }
__global__ void parts(float* out) { const auto& [at, value] = made(); out[at] = value; }
void run(float* out) { parts<<<1, 1>>>(out); }
"""


def test_a_specialisation_for_an_alias_needs_what_that_stands_for(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"k.cu": _ALIASED}).kernels()
    assert "traits<short_one<Scale>>" in kernel.unit.source
    assert "traits<number>" in kernel.unit.source
    assert "other" not in kernel.unit.source
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


def test_what_a_macro_declares_in_a_namespace_comes_along_as_it_stands(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"k.cu": _DECLARED}).kernels()
    assert "\nFLAG(LOGGING);\n" in kernel.unit.source
    assert "FLAG(TRACING)" not in kernel.unit.source
    assert (
        "namespace opened {\nnamespace inner {\n__device__ float one()"
        in kernel.unit.source
    )
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


def test_what_decomposing_a_value_asks_for_comes_along(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"k.cu": _DECOMPOSED}).kernels()
    assert kernel.unit.source.count("struct tuple_element") == 2
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


def test_what_a_macro_pastes_a_name_of_comes_along(project: Callable[..., Any]) -> None:
    (kernel,) = project({"k.cu": _PASTED}).kernels()
    assert "half_to_float" in kernel.unit.source
    assert "byte_to_float" not in kernel.unit.source
    assert "half_to_double" not in kernel.unit.source
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


def test_a_specialisation_needs_its_types_and_not_those_of_its_condition(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"k.cu": _CONDITION}).kernels()
    assert "struct plain" in kernel.unit.source
    assert "boxed" not in kernel.unit.source
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


def test_a_template_of_variables_that_a_macro_makes_comes_along(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"k.cu": _TRAITS}).kernels()
    assert "TRAIT(is_open, open)" in kernel.unit.source
    assert kernel.unit.rung == "minimal"
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


def test_a_table_of_macros_comes_along_that_a_number_chooses_from(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"k.cu": _TABLE}).kernels()
    assert (kernel.unit.rung, kernel.unit.attempts) == (Rung.MINIMAL, ())
    assert "EACH2(f, x, y)" in kernel.unit.source
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""
