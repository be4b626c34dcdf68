"""The quick reading of a text sees what the lexer sees."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.directives import with_directives
from crawler.cpp.lexer import TokenKind, tokenize
from crawler.cpp.skim import DIRECTIVE, signs

PIECES = (
    *(
        "{",
        "}",
        ";",
        "#",
        "\n",
        "\r\n",
        " ",
        "a",
        '"',
        "'",
        '"{"',
        "'}'",
        "/*;*/",
        "// {\n",
        " 1'000 ",
    ),
    *('R"x(;)x"', ' u8R"({)"', "#define A {\n", "\n#if B\n", "(", ")", "L'{'"),
)


@given(
    st.lists(st.sampled_from(PIECES), max_size=30).map(
        lambda pieces: " ".join(("", *pieces))
    )
)
def test_braces_and_semicolons_are_those_of_the_tokens(text: str) -> None:
    offset = 0
    expected = []
    for token, directive in with_directives(tokenize(text)):
        if (
            token.kind is TokenKind.PUNCTUATION
            and token.text in ("{", "}", ";")
            and not directive
        ):
            expected.append((token.text, offset))
        offset += len(token.text)
    assert [
        (sign.text, sign.start) for sign in signs(text) if sign.text != DIRECTIVE
    ] == expected


def test_a_directive_is_one_sign_with_all_its_lines() -> None:
    text = '#define A { \\\n  ; }\nint f() { g(";"); }\n'
    told = [(sign.text, text[sign.start : sign.end]) for sign in signs(text)]
    assert told == [
        ("#", "#define A { \\\n  ; }"),
        ("{", "{"),
        (";", ";"),
        ("}", "}"),
    ]


@pytest.mark.parametrize("hostile", ["'", '"', "/*", "#", "#\\\n", 'R"(', "{;}", "1'"])
def test_hostile_texts_cost_linear_time(hostile: str) -> None:
    begun = time.process_time()
    assert sum(1 for _ in signs(hostile * 20_000)) >= 0
    assert time.process_time() - begun < 5
