"""Names that hide a template's parameter: the parameter is renamed up to where they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.nvcc.shadowed_parameters import rename_shadowed_parameters
from crawler.model import Status
from crawler.validate.build import build_unit


@pytest.mark.parametrize(
    ("source", "made"),
    [
        (
            "template <typename T, int n = 3, int bits>\n"
            "__global__ void k(T* x, float y[n], int bits /* b */) { x[0] = bits; }",
            "template <typename T, int n = 3, int bits_of_template>\n"
            "__global__ void k(T* x, float y[n], int bits /* b */) { x[0] = bits; }",
        ),
        (
            "template <int all, int bits = 4> void k(int* x) "
            "{ int sum = bits + 1; const int bits = all - sum; *x = bits; }",
            "template <int all, int bits_of_template = 4> void k(int* x) "
            "{ int sum = bits_of_template + 1; const int bits = all - sum; *x = bits; }",
        ),
    ],
)
def test_a_hidden_parameter_is_renamed_where_it_is_meant(
    source: str, made: str
) -> None:
    assert rename_shadowed_parameters(source) == made


@pytest.mark.parametrize(
    "source",
    [
        "template <int bits> int k(int n) { return bits; }",
        "template <int bits> struct S { int f(int n) { return bits * n; } };",
        "template <class T> void k(T x); int T;",
        "template <class T, int N = sizeof(T)> struct alignas(N) S { T x[N]; };",
        "template <int m, int n> __launch_bounds__(m * n) void k(int x) { x = n; }",
        "template <int n",
        "template <int n> void k(int n",
    ],
)
def test_all_else_stays_as_it_is(source: str) -> None:
    assert rename_shadowed_parameters(source) == source


@pytest.mark.apt("clang-19")
def test_a_unit_compiles_whose_parameter_hides_one_of_its_template(
    project: Callable[..., Any],
) -> None:
    text = (
        "template <typename T, int bits>\n__global__ void k(T* x, int bits) { x[0] = bits; }\n"
        "void launch(float* x) { k<float, 4><<<1, 1>>>(x, 4); }\n"
    )
    (kernel,) = project({"k.cu": text}).kernels()
    assert kernel.unit
    assert "int bits_of_template" in kernel.unit.source
    assert build_unit(kernel.unit, "sm_80").build.pass_call.status is Status.PASS
