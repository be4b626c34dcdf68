"""Of a library with a hundred overloads a unit holds those that its compiler chooses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from crawler.model import Kernel, KernelUnit
from crawler.validate.build import build_unit

pytestmark = pytest.mark.apt("clang-19")

_OPERATORS = "\n".join(
    f"""template <class T> D Vec<T, {n}> operator*(Vec<T, {n}> a, T b) {{ return a.times(b); }}
template <class T> D Vec<T, {n}> operator*(T a, Vec<T, {n}> b) {{ return b * a; }}
template <class T, bool kMany = (3 > 2)> D int kind(Vec<T, {n}>) {{ return {n}; }}
template <class T> D T sum(Vec<T, {n}> a);"""
    for n in range(1, 20)
)
_LIBRARY = f"""
#pragma once
#define D inline __device__
namespace lib {{
template <class T, int N> struct Vec {{
  T x[N];
  D Vec times(T b) const;
  D Vec operator-() const;
}};
template <class T, int N> D Vec<T, N> Vec<T, N>::times(T b) const {{ return {{x[0] * b}}; }}
template <class T, int N> D Vec<T, N> Vec<T, N>::operator-() const {{ return {{x[0] / 2}}; }}
{_OPERATORS}
template <class To, class From> D To convert(From a) {{ return To(a); }}
template <> D float convert(int a) {{ return a + 0.5f; }}
template <> D double convert(int a) {{ return convert<float>(a); }}
template <> D char convert(int) {{ return 'a'; }}
// größer als früher: 更新
D int newer(int a) {{ return a; }}
D int newer(float a) {{ return 1; }}
template <class T> D T sum(Vec<T, 3> a) {{ return a.x[0] + convert<double>(3); }}
D float only_float(float a) {{ return a; }}
D double only_float(double a) {{ return 2 * a; }}
}}
"""
_KERNEL = """
#include "lib.cuh"
template <class T> __global__ void scale(T* out, int n) {
  lib::Vec<T, 3> v{{out[0]}};
  out[1] = lib::sum(T(2) * v) + lib::only_float(out[2]);
#if __CUDA_ARCH__ >= 900
  out[2] = lib::newer(n);
#endif
}
"""
Project = Callable[[Mapping[str, str]], Any]
Index = Callable[..., dict[str, Kernel]]


def cut_out(project: Project, index_kernels: Index, *types: str) -> KernelUnit:
    """Return the unit of the kernel that is launched for each type in a source of its own."""
    return cut_out_of(project, index_kernels, _LIBRARY, *types)


def cut_out_of(
    project: Project, index_kernels: Index, library: str, *types: str
) -> KernelUnit:
    files = {"lib.cuh": library, "scale.cuh": "#pragma once" + _KERNEL}
    for name in types:
        files[f"{name}.cu"] = (
            '#include "scale.cuh"\n'
            f"void use({name}* out) {{ scale<{name}><<<1, 1>>>(out, 3); }}\n"
        )
    unit = index_kernels(project(files).kernels())["scale"].unit
    assert unit is not None
    return unit


@pytest.fixture(scope="module")
def unit(project: Project, index_kernels: Index) -> KernelUnit:
    return cut_out(project, index_kernels, "float")


def test_what_is_chosen_stays_with_what_that_chooses(unit: KernelUnit) -> None:
    assert "operator*(T a, Vec<T, 3> b)" in unit.source
    assert "operator*(Vec<T, 3> a, T b)" in unit.source
    assert "Vec<T, N>::times(T b) const {" in unit.source
    assert "T sum(Vec<T, 3> a) {" in unit.source


def test_what_nothing_chooses_goes(unit: KernelUnit) -> None:
    assert "Vec<T, 4>" not in unit.source
    assert "kind" not in unit.source
    assert "Vec<T, N>::operator-() const {" not in unit.source
    assert "double only_float(double a)" not in unit.source
    assert not [name for name in unit.dependencies if name.endswith("kind")]


def test_specialisations_that_only_others_choose_stay(unit: KernelUnit) -> None:
    assert "double convert(int a)" in unit.source
    assert "float convert(int a)" in unit.source
    assert "To convert(From a)" in unit.source
    assert "char convert(int)" not in unit.source


def test_what_another_device_calls_by_its_name_stays(unit: KernelUnit) -> None:
    assert "int newer(int a)" in unit.source
    for target in ("sm_80", "sm_90"):
        assert build_unit(unit, target).build.pass_call.message == ""


def test_names_that_headers_have_bring_no_namesakes(
    project: Project, index_kernels: Index
) -> None:
    # the kernel calls CUDA's `make_float2(float, float)`
    pairs = "".join(
        f"struct P{n} {{ float a; }};\nD float2 make_float2(P{n} p) {{ return make_float2(p.a, p.a); }}\n"
        for n in range(30)
    )
    library = _LIBRARY.replace("namespace lib {", f"{pairs}namespace lib {{")
    kernel = _KERNEL.replace("out[1] =", "out[1] = make_float2(out[2], out[3]).x +")
    files = {
        "lib.cuh": library,
        "a.cu": f"{kernel}void use(float* out) {{ scale<float><<<1, 1>>>(out, 3); }}\n",
    }

    unit = index_kernels(project(files).kernels())["scale"].unit
    assert unit is not None
    assert "make_float2(P" not in unit.source
    assert "int newer(int a)" in unit.source
    assert build_unit(unit, "sm_80").build.pass_call.message == ""


def test_what_another_source_instantiates_keeps_what_it_chooses(
    project: Project, index_kernels: Index
) -> None:
    unit = cut_out(project, index_kernels, "float", "double")
    assert {made.arguments for made in unit.instantiations} == {("float",), ("double",)}
    assert "float only_float(float a)" in unit.source
    assert "double only_float(double a)" in unit.source
    assert build_unit(unit, "sm_80").build.pass_call.message == ""


def test_where_templates_ask_what_compiles_all_stays(
    project: Project, index_kernels: Index
) -> None:
    probing = _LIBRARY.replace(
        "D int newer(int a)",
        "template <class T> D auto probe(T a) -> decltype(a.times(1)) { return a; }\n"
        "D int newer(int a)",
    ).replace("T sum(Vec<T, 3> a) { return", "T sum(Vec<T, 3> a) { probe(a); return")
    unit = cut_out_of(project, index_kernels, probing, "float")
    assert "auto probe(T a)" in unit.source
    assert "Vec<T, 4>" in unit.source


def test_a_kernel_that_is_no_template_has_what_it_chooses(
    project: Project, index_kernels: Index
) -> None:
    source = (
        '#include "lib.cuh"\n'
        "__global__ void twice(float* out) { out[0] = lib::only_float(out[1]); }\n"
    )
    files = {"lib.cuh": _LIBRARY.replace("kind", "only_float"), "twice.cu": source}
    unit = index_kernels(project(files).kernels())["twice"].unit
    assert unit is not None
    assert "float only_float(float a)" in unit.source
    assert "Vec<T, 4>" not in unit.source
    assert build_unit(unit, "sm_80").build.pass_call.message == ""
