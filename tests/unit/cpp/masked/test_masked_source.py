"""The masked source of a text: as the tokenizer sees it, wherever a name stands."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawler.cpp import lexer
from crawler.cpp.lexer import TokenKind
from crawler.cpp.masked.masked_source import MaskedSource, mask_exactly
from crawler.cpp.masked.token_digest import compute_quick_token_digest

SNIPPETS = (
    *(
        '"',
        "'",
        "\\",
        "\n",
        "\r\n",
        "/*",
        "*/",
        "//",
        "#",
        "R",
        'R"x(',
        ')x"',
        "<",
        ">",
        "<<<",
        ">>>",
        "::",
        "(",
        ")",
    ),
    *(
        "#include",
        " include",
        "__has_include",
        "error",
        "/**/",
        "\\\n",
        ".5",
        "cub",
        " ",
        "\t",
        "0x1f",
        "1'000",
        "u8",
    ),
    *(
        "é",
        "\0",
        "asm",
        "{",
        "}",
        "\n#include <a'b>\n",
        "\n#error isn't\n",
        "L'x'",
        '"cub"',
        "// cub\n",
        "/* cub */",
    ),
    *(".", "->", "1.", "1e+", "##", "€", "\x1c", "#if __has_include(<cub>)\n"),
)
source_like = st.lists(
    st.sampled_from(SNIPPETS) | st.text(max_size=3), max_size=60
).map("".join)


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


@given(source_like)
@example('u8"')
@example('x = L\'c\' + u8"text" + R"(raw)" + 8\'000;')
def test_the_digest_is_that_of_the_tokens(text: str) -> None:
    masked = [
        token.text for token in lexer.drop_blanks_and_comments(lexer.tokenize(text))
    ]
    normal = "\0".join([*masked, ""]).encode("utf-8", "surrogateescape")
    assert compute_quick_token_digest(text) == hashlib.sha256(normal).hexdigest()


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


def test_a_number_is_no_name() -> None:
    assert list(
        MaskedSource("x = 1.cub + 0x1p-cub; v.cub; 2 -cub; e1.cub").find_word_offsets(
            "cub"
        )
    ) == [24, 32, 40]


def test_hostile_texts_cost_linear_time() -> None:
    for hostile in (
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
    ):
        masked = MaskedSource(hostile * 8_000)
        assert (
            sum(
                len(masked.token_before(offset)[1])
                for offset in masked.find_word_offsets("cub")
            )
            >= 0
        )
        compute_quick_token_digest(masked.text)
