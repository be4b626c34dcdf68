"""Brackets: each closes the one that it should, past comments and strings, at any depth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.brackets import (
    BRACES,
    ROUND,
    bracket_pairs,
    bracket_pairs_in_code,
    closing_in_code,
    closing_in_text,
    closing_token,
    closing_word,
    depth_changes,
    skip_angles_backwards,
)
from crawler.cpp.lexer import tokenize
from crawler.cpp.masked.masked_source import MaskedSource

PIECES = (
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "a",
    ",",
    " ",
    '")"',
    "/*(*/",
    "'{'",
    "// ]\n",
    " 1'000 ",
)
source_like = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
balanced = st.recursive(
    st.sampled_from(("a", "a, b", "")),
    lambda inner: st.lists(
        st.tuples(st.sampled_from(("()", "[]", "{}")), inner).map(
            lambda p: p[0][0] + p[1] + p[0][1]
        )
    ).map("".join),
)


@pytest.mark.parametrize(
    ("text", "opening", "closes"),
    [
        ("f(a[0], g(b)) + (c)", 1, 12),
        ("f(a[0], g(b)) + (c)", 3, 5),
        ('f(")", /* ) */ x)', 1, 16),
        ("f(')', \n // )\n x)", 1, 16),
        ('f(R"x()")x", 1)', 1, 14),
        ("f(1'000, 2)", 1, 10),
        ("f(a", 1, -1),
        ("( ]", 0, 2),
    ],
)
def test_the_closing_bracket_of_raw_text(text: str, opening: int, closes: int) -> None:
    assert closing_in_text(text, opening) == closes


@given(source_like)
def test_raw_text_blanked_code_and_tokens_agree(text: str) -> None:
    code = MaskedSource(text).code
    pieces = list(tokenize(text))
    starts = [
        sum(len(piece.text) for piece in pieces[:index]) for index in range(len(pieces))
    ]
    for position, piece in enumerate(pieces):
        if piece.text in ("(", "[", "{"):
            closed = closing_token(pieces, position)
            offset = starts[closed] if closed >= 0 else -1
            assert closing_in_code(code, starts[position]) == offset
            assert closing_in_text(text, starts[position]) == offset
            assert closing_word([piece.text for piece in pieces], position) == closed


@given(source_like)
def test_pairs_are_those_that_one_search_at_a_time_finds(text: str) -> None:
    code = MaskedSource(text).code
    words = [piece.text for piece in tokenize(text)]
    assert bracket_pairs(words) == {
        index: closed
        for index, word in enumerate(words)
        if word in ("(", "[", "{") and (closed := closing_word(words, index)) >= 0
    }
    assert bracket_pairs_in_code(code) == {
        index: closed
        for index, character in enumerate(code)
        if character in "([{" and (closed := closing_in_code(code, index)) >= 0
    }


@given(balanced)
def test_brackets_nest(text: str) -> None:
    pairs = bracket_pairs_in_code(text)
    assert sorted([*pairs, *pairs.values()]) == [
        index for index, character in enumerate(text) if character in "()[]{}"
    ]
    for opening, closing in pairs.items():
        assert text[opening] + text[closing] in ("()", "[]", "{}")
        assert not any(opening < other < closing < end for other, end in pairs.items())


def test_only_the_wanted_kinds_count() -> None:
    words = ["(", "{", ")", "}", ")"]
    assert closing_word(words, 0, pairs=ROUND) == 2
    assert closing_word(words, 0) == 3
    assert closing_word(words, 1, pairs=BRACES) == 3
    assert closing_in_code("( { ) } )", 0, pairs=ROUND) == 4
    assert bracket_pairs(words, pairs=BRACES) == {1: 3}


def test_nothing_behind_the_end_counts() -> None:
    assert closing_word(["(", "a", ")"], 0, 2) == -1
    assert closing_word(["(", "a", ")"], 0, 30) == 2
    assert closing_in_code("(a)", 0, 2) == -1
    assert closing_in_code("(a)", 0, 30) == 2
    assert closing_token(list(tokenize("(a)")), 0, 2) == -1


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("template<class T>", "template"),
        ("a<b<c>>", "a"),
        ("x; template<template<class> class F>", "template"),
        ("a<b(c), 3>", "a"),
    ],
)
def test_the_angles_of_a_head_are_skipped_to_what_stands_in_front(
    text: str, before: str
) -> None:
    tokens = list(tokenize(text))
    position = skip_angles_backwards(tokens, len(tokens) - 1)
    assert tokens[position].text == before


def test_angles_that_are_never_opened_end_where_the_text_begins() -> None:
    assert skip_angles_backwards(list(tokenize("a b>")), 3) == 0


def test_depths_change_by_the_brackets_that_are_asked_for() -> None:
    assert depth_changes(ROUND) == {"(": 1, ")": -1}
    changes = depth_changes()
    assert sum(changes.values()) == 0
    assert changes["{"] == changes["["] == 1
