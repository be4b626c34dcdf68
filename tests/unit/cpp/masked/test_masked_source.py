"""The masked source of a text: as the tokenizer sees it, wherever a name stands."""

from __future__ import annotations

import time

import pytest
from hypothesis import given

from crawler.cpp import lexer
from crawler.cpp.lexer import TokenKind
from crawler.cpp.masked.masked_source import MaskedSource, mask_exactly
from tests.unit.cpp.source_texts import source_like

HOSTILE = (
    "'",
    '"',
    "#include <",
    "# ",
    "/*",
    "1'",
    "cub.",
    "cub ",
    "\\\n#error\n",
    "__has_include(<a>",
)


@given(source_like)
def test_the_quick_source_is_the_one_that_the_tokenizer_gives(text: str) -> None:
    quick, slow = MaskedSource(text), mask_exactly(text)
    assert quick.code == slow.code
    assert list(quick.header_ranges) == list(slow.header_ranges)
    assert len(quick.code) == len(text)


@given(source_like)
def test_every_name_has_its_places(text: str) -> None:
    named = []
    offset = 0
    for token in lexer.tokenize(text):
        if token.kind is TokenKind.NAME:
            named.append((offset, token.text, token.line))
        offset += len(token.text)
    masked = MaskedSource(text)
    places = [offset for offset, word, _ in named if word == "cub"]
    assert "cub" in masked.words or not places
    assert list(masked.find_word_offsets("cub")) == places
    assert [masked.line_number(offset) for offset in places] == [
        line for _, word, line in named if word == "cub"
    ]


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("a . /* . */ cub ::b", ".", "::"),
        ("a->cub<<<1>>>", "->", "<<<"),
        ("namespace cub", "namespace", ""),
        ("::cub<int>", "::", "<"),
        ("cub", "", ""),
        ('"x" cub "y"', '"', '"'),
        ("long_name\\\n  cub;", "long_name", ";"),
    ],
)
def test_what_stands_beside_a_name(text: str, before: str, after: str) -> None:
    masked = MaskedSource(text)
    (offset,) = masked.find_word_offsets("cub")
    assert (masked.token_before(offset)[1], masked.token_start_after(offset + 3)) == (
        before,
        after,
    )


@pytest.mark.parametrize(
    ("text", "is_qualified"),
    [
        ("a::cub", True),
        ("a<int> :: cub", True),
        ("::cub", False),
        ("return ::cub", False),
        ("typename ::cub", False),
        ("x = ::cub", False),
        ("a.cub", False),
        ("cub", False),
    ],
)
def test_a_name_is_qualified_behind_a_name(text: str, is_qualified: bool) -> None:
    masked = MaskedSource(text)
    (offset,) = masked.find_word_offsets("cub")
    assert masked.has_qualifier(offset) == is_qualified


def test_a_number_is_no_name() -> None:
    assert list(
        MaskedSource("x = 1.cub + 0x1p-cub; v.cub; 2 -cub; e1.cub").find_word_offsets(
            "cub"
        )
    ) == [24, 32, 40]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("int a; // b", "int a;     "),
        ("a /* b\n c */ d", "a            d"),
        ('f("cub")', 'f(""""")'),
        ("f(L'c', 1'000)", 'f(L""", 1\'000)'),
        ("#include <a.h>", '#include """""'),
        ("#error isn't", '#error""""""'),
        ("a \\\n b", "a    b"),
        ("a \\\r\n b", "a     b"),
        ('R"(a)" b', 'R""""" b'),
    ],
)
def test_what_is_no_code_is_masked_in_place(text: str, code: str) -> None:
    assert MaskedSource(text).code == code


def test_included_headers_have_their_places() -> None:
    text = '#include <a/b.h>\n#import "c.h" // "d.h"\nx = "e.h";\n'
    ranges = MaskedSource(text).header_ranges
    assert [text[start:end] for start, end in ranges] == ["<a/b.h>", '"c.h"']


def test_a_place_at_a_line_end_is_on_the_line_that_it_ends() -> None:
    masked = MaskedSource("a\n\nb")
    assert [masked.line_number(offset) for offset in range(5)] == [1, 1, 2, 3, 3]


def test_hostile_texts_cost_linear_time() -> None:
    began = time.process_time()
    for hostile in HOSTILE:
        masked = MaskedSource(hostile * 8_000)
        for offset in masked.find_word_offsets("cub"):
            masked.token_before(offset)
    assert time.process_time() - began < 10
