"""The digest of a text's tokens: layout does not count, and everything else does."""

from __future__ import annotations

import hashlib
import time

import pytest
from hypothesis import example, given

from crawler.cpp.lexer import drop_blanks_and_comments, tokenize
from crawler.cpp.masked.token_digest import compute_quick_token_digest
from tests.unit.cpp.source_texts import source_like


@given(source_like)
@example('u8"')
@example('x = L\'c\' + u8"text" + R"(raw)" + 8\'000;')
def test_the_digest_is_that_of_the_tokens(text: str) -> None:
    tokens = drop_blanks_and_comments(tokenize(text))
    joined = "".join(f"{token.text}\0" for token in tokens)
    digest = hashlib.sha256(joined.encode("utf-8", "surrogateescape")).hexdigest()
    assert compute_quick_token_digest(text) == digest


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("int f(int a) { return a; }", "int  f(int a)\n{ // c\n return/**/a; }\n"),
        ("a + b", "a\\\n+\\\r\nb"),
        ("#include <a.h>\nint x;", "# include  <a.h> // why\n\nint x ;"),
        ("x<<<1, 2>>>();", "x <<< 1,2 >>> ( );"),
    ],
)
def test_layout_and_comments_do_not_count(text: str, same: str) -> None:
    assert compute_quick_token_digest(text) == compute_quick_token_digest(same)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("return a;", "return -a;"),
        ("int f();", "intf();"),
        ('f("a b");', 'f("a  b");'),
        ("f('/', '*');", "f('/*');"),
        ("#error a b", "#error a  b"),
        ("#include <a.h>", "#include <a .h>"),
        ("a < < b", "a <<< b"),
        ("x = 1'000;", "x = 1000;"),
        ('R"(a // b)"', 'R"(a )"'),
    ],
)
def test_every_token_counts(text: str, other: str) -> None:
    assert compute_quick_token_digest(text) != compute_quick_token_digest(other)


@pytest.mark.parametrize(
    "hostile", ["/*", "#error\n", "\\\n", "'", '"', "1'", "<", "#"]
)
def test_hostile_texts_cost_linear_time(hostile: str) -> None:
    began = time.process_time()
    compute_quick_token_digest(hostile * (200_000 // len(hostile)))
    assert time.process_time() - began < 5
