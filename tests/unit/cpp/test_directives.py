"""Directives: which tokens stand in one, and the conditionals that they make."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.directives import (
    Conditional,
    conditional_directives,
    conditionals,
    ends_line,
    with_directives,
)
from crawler.cpp.lexer import TokenKind, tokenize
from crawler.cpp.skim import DIRECTIVE, signs

TEXT = """\
#if A
int a;
#  ifdef B /* x
  #else
*/
int b;
#  endif
#elif C && \\
    D
int c;
#else
int d;
#endif
#ifndef E
"""
lines = st.lists(
    st.sampled_from(
        ("#if a", "#else", "#elif b", "#endif", "x", "#define c", "#ifdef d")
    )
)


def _conditionals(text: str) -> list[Conditional]:
    ranges = [(sign.start, sign.end) for sign in signs(text) if sign.text == DIRECTIVE]
    return list(conditionals(conditional_directives(text, ranges)))


def test_conditionals_with_their_branches() -> None:
    inner, outer, opened = _conditionals(TEXT)
    assert [each.keyword for each in inner.directives] == ["ifdef", "endif"]
    assert [each.keyword for each in outer.directives] == [
        "if",
        "elif",
        "else",
        "endif",
    ]
    assert [each.keyword for each in opened.directives] == ["ifndef"]
    assert (inner.is_closed, outer.is_closed, opened.is_closed) == (True, True, False)
    assert (outer.start, outer.end) == (0, TEXT.index("#ifndef") - 1)
    conditions = [TEXT[each.condition : each.end].split() for each in outer.directives]
    assert conditions == [["A"], ["C", "&&", "\\", "D"], [], []]


@given(lines)
def test_conditionals_nest_and_every_if_is_in_one(written: list[str]) -> None:
    text = "\n".join(written)
    found = _conditionals(text)
    assert sum(len(each.directives) for each in found) <= sum(
        line.startswith("#") for line in written
    )
    assert sorted(each.start for each in found) == sorted(
        sum(len(line) + 1 for line in written[:at])
        for at, line in enumerate(written)
        if line.startswith("#if")
    )
    closed = [each for each in found if each.is_closed]
    assert not any(
        one.start < other.start < one.end < other.end
        for one in closed
        for other in closed
    )
    assert [each.start for each in found[len(closed) :]] == sorted(
        each.start for each in found if not each.is_closed
    )


def test_what_closes_nothing_counts_for_nothing() -> None:
    assert _conditionals("#endif\n#else\n#if a\n#endif\n#endif\n") == _conditionals(
        "#endif\n#else\n#if a\n#endif\n"
    )


def test_each_token_knows_its_directive() -> None:
    text = "int a; #\n # /**/ define B 1 \\\n  + 2 // c\nint d;\n#\nint e;"
    told = {
        token.text: name
        for token, name in with_directives(tokenize(text))
        if token.kind in (TokenKind.NAME, TokenKind.NUMBER)
    }
    assert told == {
        **dict.fromkeys(("int", "a", "d", "e"), ""),
        **dict.fromkeys(("define", "B", "1", "2"), "define"),
    }


@given(
    st.lists(
        st.sampled_from(("#", "a", " ", "\n", "\\\n", "/*\n*/", "//x\n", "1"))
    ).map("".join)
)
def test_no_token_is_lost(text: str) -> None:
    assert [token for token, _ in with_directives(tokenize(text))] == list(
        tokenize(text)
    )


@pytest.mark.parametrize(
    ("space", "ends"),
    [("\n", True), ("\\\n", False), ("\\\r\n ", False), ("\\\n\n", True), (" ", False)],
)
def test_a_spliced_line_goes_on(space: str, ends: bool) -> None:
    assert ends_line(space) is ends
