"""Comments and literals taken out by one search."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.comments import (
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
