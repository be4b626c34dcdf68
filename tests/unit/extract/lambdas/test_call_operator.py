"""Variables are declared as C++ writes their types."""

from __future__ import annotations

import pytest

from crawler.extract.lambdas.call_operator import declare_variable


@pytest.mark.parametrize(
    ("type_text", "declaration"),
    [
        ("int", "int x"),
        ("const float *", "const float *x"),
        ("lib::View<int, 2>", "lib::View<int, 2> x"),
        ("float[4]", "float x[4]"),
        ("float[4][2]", "float x[4][2]"),
        ("void (*)(int, float)", "void (*x)(int, float)"),
        ("double (&)[3]", "double (&x)[3]"),
    ],
)
def test_a_name_stands_where_its_type_wants_it(
    type_text: str, declaration: str
) -> None:
    assert declare_variable(type_text, "x") == declaration
