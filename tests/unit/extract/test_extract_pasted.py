"""Units hold what macros paste the names of, and specialisations under a condition."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler.validate.build import build

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


def test_what_a_macro_pastes_a_name_of_comes_along(project: Callable[..., Any]) -> None:
    (kernel,) = project({"k.cu": _PASTED}).kernels()
    assert "half_to_float" in kernel.unit.source
    assert "byte_to_float" not in kernel.unit.source
    assert "half_to_double" not in kernel.unit.source
    assert build(kernel.unit, "sm_80").build.pass_call.message == ""


def test_a_specialisation_needs_its_types_and_not_those_of_its_condition(project: Callable[..., Any]) -> None:
    (kernel,) = project({"k.cu": _CONDITION}).kernels()
    assert "struct plain" in kernel.unit.source
    assert "boxed" not in kernel.unit.source
    assert build(kernel.unit, "sm_80").build.pass_call.message == ""
