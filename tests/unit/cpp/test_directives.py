"""Directives: which tokens stand in one, and the conditionals that they make."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from crawler.cpp.directives import (
    Conditional,
    blank_directives,
    conditional_directives,
    conditionals,
    directive_name,
    directive_words,
    with_directives,
    without_directives,
)
from crawler.cpp.files.structure_marks import DIRECTIVE, iter_structure_marks
from crawler.cpp.lexer import TokenKind, ends_line, tokenize

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
    ranges = [
        (mark.start, mark.end)
        for mark in iter_structure_marks(text)
        if mark.text == DIRECTIVE
    ]
    return list(conditionals(conditional_directives(text, ranges)))


def test_conditionals_with_their_branches() -> None:
    inner, outer, opened = _conditionals(TEXT)
    assert [directive.keyword for directive in inner.directives] == ["ifdef", "endif"]
    assert [directive.keyword for directive in outer.directives] == [
        "if",
        "elif",
        "else",
        "endif",
    ]
    assert [directive.keyword for directive in opened.directives] == ["ifndef"]
    assert (inner.is_closed, outer.is_closed, opened.is_closed) == (True, True, False)
    assert (outer.start, outer.end) == (0, TEXT.index("#ifndef") - 1)
    conditions = [
        TEXT[directive.condition : directive.end].split()
        for directive in outer.directives
    ]
    assert conditions == [["A"], ["C", "&&", "\\", "D"], [], []]


@given(lines)
def test_conditionals_nest_and_every_if_is_in_one(directive_lines: list[str]) -> None:
    text = "\n".join(directive_lines)
    parsed = _conditionals(text)
    assert sum(len(directive.directives) for directive in parsed) <= sum(
        line.startswith("#") for line in directive_lines
    )
    assert sorted(directive.start for directive in parsed) == sorted(
        sum(len(line) + 1 for line in directive_lines[:index])
        for index, line in enumerate(directive_lines)
        if line.startswith("#if")
    )
    closed = [directive for directive in parsed if directive.is_closed]
    assert not any(
        first.start < second.start < first.end < second.end
        for first in closed
        for second in closed
    )
    assert [directive.start for directive in parsed[len(closed) :]] == sorted(
        directive.start for directive in parsed if not directive.is_closed
    )


def test_what_closes_nothing_counts_for_nothing() -> None:
    assert _conditionals("#endif\n#else\n#if a\n#endif\n#endif\n") == _conditionals(
        "#endif\n#else\n#if a\n#endif\n"
    )


def test_each_token_knows_its_directive() -> None:
    text = "int a; #\n # /**/ define B 1 \\\n  + 2 // c\nint d;\n#\nint e;"
    directive_by_word = {
        token.text: name
        for token, name in with_directives(tokenize(text))
        if token.kind in (TokenKind.NAME, TokenKind.NUMBER)
    }
    assert directive_by_word == {
        **dict.fromkeys(("int", "a", "d", "e"), ""),
        **dict.fromkeys(("define", "B", "1", "2"), "define"),
    }


@pytest.mark.parametrize(
    ("directive", "words"),
    [
        ("#pragma once", ["pragma", "once"]),
        ("# /* in\nthis file */ pragma once // not twice", ["pragma", "once"]),
        ("#\\\n  pragma\\\r\n once", ["pragma", "once"]),
        ('#include "a.cuh"', ["include", '"a.cuh"']),
        ("#", []),
    ],
)
def test_a_directive_has_a_name_and_words(directive: str, words: list[str]) -> None:
    text = f"int a;\n{directive}\npragma"
    start = text.index("#")
    assert directive_words(text, start, start + len(directive)) == words
    assert directive_name(text, start) == "".join(words[:1])


pieces = st.lists(
    st.sampled_from(("#", "a", " ", "\n", "\\\n", "/*\n*/", "//x\n", "1"))
)


@given(pieces.map("".join))
def test_a_directive_is_called_what_its_tokens_say(text: str) -> None:
    assume("##" not in text)
    for mark in iter_structure_marks(text):
        if mark.text == DIRECTIVE:
            first, *_ = [*directive_words(text, mark.start, mark.end), ""]
            name = first if first.isalnum() else ""
            assert directive_name(text, mark.start) == name


def test_directives_are_taken_out_of_a_text_with_all_their_lines() -> None:
    text = "int a;\n  #define F(x) \\\r\n  x { \\\n  }\nint b; # c\n"
    assert without_directives(text) == "int a;\n\nint b; # c\n"
    blanked = blank_directives(text)
    assert blanked.split() == ["int", "a;", "int", "b;", "#", "c"]
    assert [blanked.index("b"), blanked.count("\n")] == [text.index("b"), 5]


@given(pieces.map("".join))
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
