"""Functions and macros are read into their parameters and their bodies."""

from __future__ import annotations

import pytest

from crawler.validate.evidence.host_program.host_function import (
    HostFunction,
    read_function,
    read_macro,
)


def describe(function: HostFunction | None) -> tuple[str, list[str], str]:
    assert function is not None
    names = [parameter.name for parameter in function.parameters]
    return function.name, names, " ".join(word.text for word in function.body)


@pytest.mark.parametrize(
    ("text", "described"),
    [
        (
            "static inline int up(const int *x, int n[], float = 1) { return n; }",
            ("up", ["x", "n", ""], "return n ;"),
        ),
        ("void f(void) { g(); }", ("f", [], "g ( ) ;")),
        (
            "template <class T, int N = 4> T* Buf<T>::get(T (&x), int n) const { return p; }",
            ("Buf::get", ["", "n"], "return p ;"),
        ),
        (
            "Sim::Sim(int n, float *x) : n_(n), m_{2} { cudaMalloc(&p, n); }",
            ("Sim::Sim", ["n", "x"], "cudaMalloc ( & p , n ) ;"),
        ),
        (
            '__attribute__((noinline)) extern "C" int f(int n) { return n; }',
            ("f", ["n"], "return n ;"),
        ),
    ],
)
def test_a_function_has_its_name_its_parameters_and_its_body(
    text: str, described: tuple[str, list[str], str]
) -> None:
    assert describe(read_function(text)) == described


def test_a_function_tells_its_template_parameters_references_and_initialisers() -> None:
    function = read_function(
        "template <typename T, int N> Buf<T>::Buf(T*& p, int n) : n_(n) { }"
    )
    assert function is not None
    assert function.template_parameters == ("T", "N")
    assert [parameter.is_reference for parameter in function.parameters] == [
        True,
        False,
    ]
    assert [word.text for word in function.initialisers] == [":", "n_", "(", "n", ")"]


@pytest.mark.parametrize("text", ["", "int n;", "int f(int n);", "int f(", "{", "f"])
def test_what_has_no_body_is_no_function(text: str) -> None:
    assert read_function(text) is None


def test_a_macro_without_parameters_is_none() -> None:
    assert read_macro("#define N (4)") is None
    assert describe(read_macro("#define UP(a, b) ((a) / \\\n (b))")) == (
        "UP",
        ["a", "b"],
        "( ( a ) / ( b ) )",
    )
