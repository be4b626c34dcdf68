"""Comments and literals taken out by one search."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.comments import (
    OPAQUE_PATTERN,
    blank,
    blank_comments,
    blank_comments_and_literals,
    without_comments,
    without_comments_and_literals,
)

TEXT = 'int a; // "b\nchar c = \'"\'; /* d\n*/ auto e = "// f"; auto g = R"(/*)"; int h = 1\'000;'


def test_comments_go_whatever_a_string_holds() -> None:
    assert without_comments("a // b\nc /* d\n */ e /* f") == "a  \nc   e  "
    assert without_comments('"http://a" b\nc') == '"http: \nc'


def test_literals_go_too_and_hide_comments() -> None:
    assert without_comments_and_literals(TEXT) == (
        "int a;  \nchar c =  ;   auto e =  ; auto g =  ; int h = 1'000;"
    )


@given(
    st.lists(st.sampled_from(("/", "*", "'", '"', "\\", "\n", "a", 'R"(', ')"'))).map(
        "".join
    )
)
def test_every_offset_stays_where_comments_are_blanked(text: str) -> None:
    assert len(blank_comments(text)) == len(text)
    blanked = blank_comments_and_literals(text)
    assert len(blanked) == len(text)
    assert all(new in (old, " ") for old, new in zip(text, blanked, strict=True))
    assert blanked.count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("a // b \\\n c\nd", ["// b \\\n c"]),
        ("a /* b\n */ c", ["/* b\n */"]),
        ('f("a\\"b", x)', ['"a\\"b"']),
        ('x = R"d(a)" )d" + y', ['"d(a)" )d"']),
        ("x = 1'000'000 + '{'", ["'", "'", "'{'"]),
        ("'\\'' }", ["'\\''"]),
        ('"never closed\n{', ['"never closed']),
    ],
)
def test_what_hides_brackets_is_found(text: str, hidden: list[str]) -> None:
    matches = re.finditer(OPAQUE_PATTERN, text)
    assert [match[0] for match in matches] == hidden


def test_line_ends_stay_where_a_text_is_blanked() -> None:
    assert blank("a b\n\tc\n") == "   \n  \n"


@pytest.mark.parametrize("hostile", ["/*", "//", '"', "'", "\\", 'R"(', "1'"])
def test_hostile_texts_cost_linear_time(hostile: str) -> None:
    text = hostile * (200_000 // len(hostile))
    assert len(blank_comments_and_literals(text)) == len(text)
    assert len(blank_comments(text)) == len(text)
