"""Parts that are no code: found by one search, or by the tokenizer where only that can tell."""

from __future__ import annotations

import pytest
from hypothesis import given

from crawler.cpp.lexer import TokenKind
from crawler.cpp.masked.opaque_parts import (
    find_opaque_parts,
    search_opaque_parts,
    tokenize_opaque_parts,
)
from tests.unit.cpp.source_texts import source_like

C, S, K = TokenKind.COMMENT, TokenKind.STRING, TokenKind.CHARACTER
H, M = TokenKind.HEADER, TokenKind.MESSAGE


def read_parts(text: str) -> list[tuple[TokenKind, str]]:
    return [
        (part.kind, text[part.start : part.end]) for part in find_opaque_parts(text)
    ]


@given(source_like)
def test_where_the_search_answers_it_answers_as_the_tokenizer(text: str) -> None:
    parts = search_opaque_parts(text)
    if parts is not None:
        assert parts == tokenize_opaque_parts(text)


@given(source_like)
def test_parts_stand_in_order_and_apart(text: str) -> None:
    end = 0
    for part in find_opaque_parts(text):
        assert end <= part.start < part.end <= len(text)
        end = part.end


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a // b \\\n c\nd", [(C, "// b \\\n c")]),
        ("a /* b */ c /* d", [(C, "/* b */"), (C, "/* d")]),
        ('f("a\\"b", 1)', [(S, '"a\\"b"')]),
        ("f('\\'')", [(K, "'\\''")]),
        ('f(u8"a", L"b")', [(S, '"a"'), (S, '"b"')]),
        ("x = 1'000'000;", []),
        ('x = R"d(a)" )d";', [(S, '"d(a)" )d"')]),
        ("#include <a'b>\nchar c = 'd';", [(H, "<a'b>"), (K, "'d'")]),
        ('#  include /* c */ "d.h"', [(C, "/* c */"), (H, '"d.h"')]),
        ("#error don't\nint x;", [(M, " don't")]),
        ("#if __has_include(<a>)\n", [(H, "<a>")]),
        ("a #include <b>", []),
        ('"a\nb"c', [(S, '"a'), (S, '"c')]),
    ],
)
def test_each_part_has_its_kind(text: str, parts: list[tuple[TokenKind, str]]) -> None:
    assert read_parts(text) == parts


@pytest.mark.parametrize(
    "text", ['R"(a)"', "x = L'c';", "x = 1'000;", "a #include <b>", "\\\n#error a"]
)
def test_what_one_search_cannot_tell_is_left_to_the_tokenizer(text: str) -> None:
    assert search_opaque_parts(text) is None
