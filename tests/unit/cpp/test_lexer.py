"""The tokenizer: nothing is ever lost."""

from __future__ import annotations

import re
import time
from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.lexer import (
    GAPS,
    TokenKind,
    drop_blanks_and_comments,
    ends_line,
    join_tokens,
    tokenize,
    tokenize_sequentially,
)
from tests.unit.cpp.source_texts import source_like


@given(st.text() | source_like)
def test_any_text_comes_back_whole(text: str) -> None:
    pieces = list(tokenize(text))
    assert join_tokens(pieces) == text
    assert all(piece.text for piece in pieces)
    assert [piece.line for piece in pieces] == [
        1 + text.count("\n", 0, start)
        for start in _starts([piece.text for piece in pieces])
    ]


@given(st.text() | source_like)
def test_the_quick_way_gives_what_one_by_one_gives(text: str) -> None:
    assert list(tokenize(text)) == list(tokenize_sequentially(text))


@given(source_like)
def test_a_gap_ends_where_the_next_token_begins(text: str) -> None:
    blanks = takewhile(
        lambda token: token.kind in (TokenKind.SPACE, TokenKind.COMMENT), tokenize(text)
    )
    gap = re.match(GAPS, text)
    assert gap is not None
    assert gap[0] == join_tokens(blanks)


@given(st.binary(max_size=200))
def test_any_bytes_come_back_whole(content: bytes) -> None:
    text = content.decode("utf-8", "surrogateescape")
    assert join_tokens(tokenize(text)).encode("utf-8", "surrogateescape") == content


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ('"a \\" b"', TokenKind.STRING),
        ('u8R"x(a " )y" \n)x"', TokenKind.STRING),
        ("'\\''", TokenKind.CHARACTER),
        ("/* a\n b */", TokenKind.COMMENT),
        ("// a \\\n still", TokenKind.COMMENT),
        ("1'000.5e+3f", TokenKind.NUMBER),
        ("0x1p-3", TokenKind.NUMBER),
        ("_x9", TokenKind.NAME),
        ("<<<", TokenKind.PUNCTUATION),
        (" \\\n\t", TokenKind.SPACE),
    ],
)
def test_one_token(text: str, kind: TokenKind) -> None:
    assert [(piece.kind, piece.text) for piece in tokenize(text)] == [(kind, text)]


def test_a_header_is_one_token_only_where_one_stands() -> None:
    text = '#include <a/b.h> // c\n # include "d.h"\nx <a/b.h> y\n#if __has_include(<e.h>)\n'
    assert [
        piece.text for piece in tokenize(text) if piece.kind is TokenKind.HEADER
    ] == ["<a/b.h>", '"d.h"', "<e.h>"]


def test_an_apostrophe_in_an_error_message_opens_no_character() -> None:
    pieces = list(tokenize("#error it's cudaMalloc\nint x = 'a';"))
    assert [piece.text for piece in pieces if piece.kind is TokenKind.MESSAGE] == [
        " it's cudaMalloc"
    ]
    assert [piece.text for piece in pieces if piece.kind is TokenKind.CHARACTER] == [
        "'a'"
    ]


def test_what_is_never_closed_ends_with_its_line() -> None:
    pieces = drop_blanks_and_comments(tokenize("'abc\nint y; \"abc\nint z;"))
    assert [piece.text for piece in pieces] == [
        "'abc",
        "int",
        "y",
        ";",
        '"abc',
        "int",
        "z",
        ";",
    ]


def test_a_spliced_line_end_does_not_end_a_directive() -> None:
    tokens = drop_blanks_and_comments(tokenize("#include \\\n <a.h>\n#\\\r\nerror x"))
    assert [(token.kind, token.text) for token in tokens] == [
        (TokenKind.PUNCTUATION, "#"),
        (TokenKind.NAME, "include"),
        (TokenKind.HEADER, "<a.h>"),
        (TokenKind.PUNCTUATION, "#"),
        (TokenKind.NAME, "error"),
        (TokenKind.MESSAGE, " x"),
    ]


@pytest.mark.parametrize(
    ("space", "is_end"),
    [("\n", True), (" \r\n ", True), ("\\\n", False), ("\\\r\n", False), (" ", False)],
)
def test_a_line_ends_where_no_backslash_goes_on_with_it(
    space: str, is_end: bool
) -> None:
    assert ends_line(space) == is_end


@pytest.mark.parametrize(
    "hostile",
    ['R"(', "/*", '"', "'", "\\", "#include <", "asm(", "1", "#error ", "<<<", "\0"],
)
def test_hostile_text_costs_linear_time(hostile: str) -> None:
    text = hostile * (400_000 // len(hostile))
    began = time.process_time()
    assert join_tokens(tokenize(text)) == text
    assert time.process_time() - began < 5


def _starts(texts: list[str]) -> list[int]:
    starts, position = [], 0
    for text in texts:
        starts.append(position)
        position += len(text)
    return starts
