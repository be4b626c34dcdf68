"""What a text seems to declare, also where it was written to take long."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.unit.macro_choices.declared_names import find_declared_names

DECLARED = re.compile(
    r"\b(?!(?:return|case|else|goto)\b)[A-Za-z_]\w*[ \t]*[&*]?[ \t]+(?=([A-Za-z_]\w*))"
)
ENUMERATION = re.compile(r"(?=\benum\b[^{;]{0,80}\{([^}]{0,4000}))")
PIECES = st.sampled_from(
    [
        "enum",
        "class",
        "E0",
        "NAME",
        "A",
        "B",
        "return",
        "case",
        "int",
        "{",
        "}",
        ";",
        ",",
        "=",
        "&",
        "*",
        "(",
        ")",
        "<",
        ">",
        ":",
        "1",
        " ",
        "  ",
        "\t",
        "\n",
        "enum {",
        "x" * 79,
    ]
)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("const int TILE = 3;", {"int", "TILE"}),
        ("template <int RADIUS> void f();", {"RADIUS", "f"}),
        ("void f(Type & ROW, int *COLUMN);", {"f", "ROW"}),
        ("return TILE; case ROW:", set()),
        ("// a wide TILE\nx = ROW;", set()),
        (
            "enum class Border : int { NONE, MIRROR }; OTHER",
            {"class", "Border", "NONE", "MIRROR"},
        ),
        ("enum Border f() { return NONE; } ROW", {"Border", "f", "return", "NONE"}),
    ],
)
def test_a_declared_name_has_a_word_in_front_or_is_of_an_enumeration(
    text: str, names: set[str]
) -> None:
    assert find_declared_names(text) == names


@given(st.lists(PIECES, max_size=60).map("".join))
def test_names_are_those_that_patterns_find(text: str) -> None:
    expected = set(DECLARED.findall(text))
    for body in ENUMERATION.findall(text):
        expected |= set(re.findall(r"\b[A-Za-z_]\w*", body))
    assert find_declared_names(text) == expected


@pytest.mark.parametrize(
    "make",
    [
        lambda count: "enum a{ " * count,
        lambda count: "enum{" * count,
        lambda count: "enum " * count,
        lambda count: "a" + " " * 8 * count + "+",
        lambda count: "int & " * count,
        lambda count: "}" + "enum E {" + "A, " * count,
    ],
)
def test_a_text_of_eight_times_the_length_takes_about_that_much_longer(
    make: Callable[[int], str],
) -> None:
    def measure(text: str) -> float:
        began = time.process_time()
        find_declared_names(text)
        return time.process_time() - began

    short, long = make(2_000), make(16_000)
    shortest = min(measure(short) for _ in range(3))
    assert min(measure(long) for _ in range(2)) < 24 * shortest + 0.05
