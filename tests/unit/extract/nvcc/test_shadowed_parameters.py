"""Names that hide a template's parameter: the parameter is renamed up to where they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.nvcc.shadowed_parameters import rename_shadowed_parameters
from crawler.model import Status
from crawler.validate.build import build_unit

PIECES = ["template", "<", ">", "int", "n", "class", "T", "(", ")", "{", "}", "=", ";"]
PIECES += [",", "*", "void", "k", "return", "const", "[", "]", "<<<"]


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
        "template <int n> void k(int m) { return n; }",
        "template <int n> void k(int m) { { int n = 1; } m = n; }",
        "template <int n> void k(int m); void f() { int n = 2; }",
        "template <int n> struct S<n> { int n; };",
        "template struct S<int>; void k(int n) { n = 1; }",
        "template <int n> int value = n; void f(int n) {}",
        "template <int n> void k(int m) { m <<= n; }",
    ],
)
def test_all_else_stays_as_it_is(source: str) -> None:
    assert rename_shadowed_parameters(source) == source


@pytest.mark.parametrize(
    ("source", "renamed"),
    [
        (
            "template <int n> void k(int n) const { }",
            "template <int n_of_template> void k(int n) const { }",
        ),
        (
            "template <int n> __launch_bounds__(n) void k(int n) { }",
            "template <int n_of_template> __launch_bounds__(n_of_template)"
            " void k(int n) { }",
        ),
        (
            "template <class T, class U = A<T>> void k(U T) { }",
            "template <class T_of_template, class U = A<T_of_template>> void k(U T) { }",
        ),
        (
            "template <int n> void k(int *x) { x[0] = n; int n = 2; x[1] = n; }",
            "template <int n_of_template> void k(int *x) "
            "{ x[0] = n_of_template; int n = 2; x[1] = n; }",
        ),
        (
            "template <int a, int b> void k(int b, int a) { a = b; }",
            "template <int a_of_template, int b_of_template> "
            "void k(int b, int a) { a = b; }",
        ),
    ],
)
def test_a_name_is_renamed_up_to_where_it_is_hidden(source: str, renamed: str) -> None:
    assert rename_shadowed_parameters(source) == renamed
    assert rename_shadowed_parameters(renamed) == renamed


@given(st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join))
def test_any_text_keeps_all_but_renamed_words(source: str) -> None:
    renamed = rename_shadowed_parameters(source)
    assert renamed.replace("_of_template", "") == source


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
