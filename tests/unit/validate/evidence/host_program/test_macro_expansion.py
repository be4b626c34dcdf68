"""Macros with parameters mean in host code what a preprocessor makes of them."""

from __future__ import annotations

import pytest

from crawler.validate.evidence.host_program.host_function import (
    HostFunction,
    read_macro,
)
from crawler.validate.evidence.host_program.macro_expansion import expand_macros


def read(*directives: str) -> dict[str, HostFunction]:
    macros = [read_macro(directive) for directive in directives]
    return {macro.name: macro for macro in macros if macro is not None}


@pytest.mark.parametrize(
    ("directive", "text", "expanded"),
    [
        ("#define TWICE(a) a + a", "TWICE(n) * 3", "n + n * 3"),
        ("#define MUL(a, b) a * b", "MUL(n + 1, f(x, y))", "n + 1 * f ( x , y )"),
        (
            "#define ALLOC(p, n) cudaMalloc(&p, \\\n (n) * 4)",
            "ALLOC(x, m);",
            "cudaMalloc ( & x , ( m ) * 4 ) ;",
        ),
        ("#define ALL(f, ...) f(__VA_ARGS__)", "ALL(g, 1, 2)", "g ( 1 , 2 )"),
        ("# define ID(x) ID(x)", "ID(4)", "ID ( 4 )"),
    ],
)
def test_arguments_stand_in_place_of_parameters(
    directive: str, text: str, expanded: str
) -> None:
    assert expand_macros(text, read(directive)) == expanded


@pytest.mark.parametrize(
    ("directive", "text"),
    [
        ("#define N (4)", "N + 1"),
        ("#define NAME(x) x##_t", "NAME(a) b ;"),
        ("#define F(a, b) a", "F ( 1 ) ;"),
        ("#define F(a) a", "F ( 1"),
    ],
)
def test_what_is_no_plain_use_stays(directive: str, text: str) -> None:
    expanded = expand_macros(text, read(directive))
    assert "".join(expanded.split()) == "".join(text.split())


def test_an_expansion_that_explodes_is_left_out() -> None:
    doubling = [f"#define M{n}(x) M{n + 1}(x x)" for n in range(30)]
    nested = "M0(" * 40 + "a" + ")" * 40
    text = " ".join([nested] * 50)
    assert len(expand_macros(text, read(*doubling))) < 1_000_000
