"""The sketch of a text: as the tokenizer sees it, wherever a name stands."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crawler import tokens
from crawler.tokens import Kind
from crawler.visible import Visible, exact, token_digest

SNIPPETS = (
    *('"', "'", "\\", "\n", "\r\n", "/*", "*/", "//", "#", "R", 'R"x(', ')x"', "<", ">", "<<<", ">>>", "::", "(", ")"),
    *("#include", " include", "__has_include", "error", "/**/", "\\\n", ".5", "cub", " ", "\t", "0x1f", "1'000", "u8"),
    *("é", "\0", "asm", "{", "}", "\n#include <a'b>\n", "\n#error isn't\n", "L'x'", '"cub"', "// cub\n", "/* cub */"),
    *(".", "->", "1.", "1e+", "##", "€", "\x1c", "#if __has_include(<cub>)\n"),
)
source_like = st.lists(st.sampled_from(SNIPPETS) | st.text(max_size=3), max_size=60).map("".join)


@given(source_like)
def test_the_quick_sketch_is_the_one_that_the_tokenizer_gives(text: str) -> None:
    quick, slow = Visible(text), exact(text)
    assert quick.code == slow.code
    assert list(quick.headers) == list(slow.headers)
    assert len(quick.code) == len(text)


@given(source_like)
def test_every_name_has_its_places(text: str) -> None:
    named = []
    at = 0
    for token in tokens.tokens(text):
        if token.kind is Kind.NAME:
            named.append((at, token.text, token.line))
        at += len(token.text)
    seen = Visible(text)
    places = [at for at, word, _ in named if word == "cub"]
    assert "cub" in seen.words or not places
    assert list(seen.places("cub")) == places
    assert [seen.line(at) for at in places] == [line for _, word, line in named if word == "cub"]


@given(source_like)
@example('u8"')
@example('x = L\'c\' + u8"text" + R"(raw)" + 8\'000;')
def test_the_digest_is_that_of_the_tokens(text: str) -> None:
    assert token_digest(text) == tokens.token_digest(text)


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
    seen = Visible(text)
    (at,) = seen.places("cub")
    assert (seen.before(at)[1], seen.after(at + 3)) == (before, after)


def test_a_number_is_no_name() -> None:
    assert list(Visible("x = 1.cub + 0x1p-cub; v.cub; 2 -cub; e1.cub").places("cub")) == [24, 32, 40]


def test_hostile_texts_cost_linear_time() -> None:
    for hostile in ("'", '"', "#include <", "# ", "/*", "1'", "cub.", "cub ", "\\\n#error\n", "__has_include(<a>"):
        seen = Visible(hostile * 8_000)
        assert sum(len(seen.before(at)[1]) for at in seen.places("cub")) >= 0
        token_digest(seen.text)
