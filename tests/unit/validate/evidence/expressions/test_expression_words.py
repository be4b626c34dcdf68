"""Number literals are read as a C++ compiler reads them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.evidence.expressions.expression_words import (
    ExpressionSyntaxError,
    parse_number,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("42", 42),
        ("42ull", 42),
        ("7LLU", 7),
        ("5z", 5),
        ("0x1F", 31),
        ("0XffU", 255),
        ("0b101", 5),
        ("017", 15),
        ("1'000'000", 1_000_000),
        ("1.5f", 1.5),
        ("2.", 2.0),
        ("1e-5", 1e-5),
        ("1'0.5L", 10.5),
        ("3.f", 3.0),
    ],
)
def test_a_literal_is_its_number(text: str, value: float) -> None:
    number = parse_number(text).value
    assert number == value
    assert type(number) is type(value)


@pytest.mark.parametrize("text", ["08", "09u", "1.2.3", "0x", "", "e5", "1e", "0b2"])
def test_what_no_compiler_takes_is_refused(text: str) -> None:
    with pytest.raises(ExpressionSyntaxError):
        parse_number(text)


@given(st.integers(0, 1 << 64))
def test_every_notation_of_a_number_is_that_number(number: int) -> None:
    spellings = [str(number), hex(number), bin(number)]
    if number:
        spellings.append(f"0{number:o}")
    assert {parse_number(spelling).value for spelling in spellings} == {number}


@given(st.text(alphabet="0123456789abxXfFuUlL.'eE+-", max_size=20))
def test_any_text_is_a_number_or_refused_as_syntax(text: str) -> None:
    try:
        number = parse_number(text).value
    except ExpressionSyntaxError:
        return
    assert isinstance(number, int | float)
