"""Lists are split at the commas of their own level, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.arguments import (
    end_of_template_arguments,
    find_top_level,
    split_code,
    split_template_arguments,
    split_tokens,
    split_words,
)
from crawler.cpp.lexer import drop_blanks_and_comments, join_tokens, tokenize

arguments = st.lists(
    st.sampled_from(("a", "b + 1", "f(x, y)", "v[0, 1]", "{1, 2}", "(a < b)")),
    min_size=1,
)
source_like = st.lists(
    st.sampled_from(("(", ")", "[", "]", "{", "}", "<", ">", ",", "a", " ", "->"))
).map("".join)


@given(arguments)
def test_what_was_joined_comes_apart(parts: list[str]) -> None:
    text = ", ".join(parts)
    assert split_code(text) == parts
    assert split_template_arguments(text) == parts
    assert [
        join_tokens(part).strip() for part in split_tokens(list(tokenize(text)))
    ] == parts
    assert [
        "".join(part)
        for part in split_words(
            [token.text for token in drop_blanks_and_comments(tokenize(text))]
        )
    ] == [part.replace(" ", "") for part in parts]


@given(source_like)
def test_nothing_is_lost(text: str) -> None:
    pieces = list(tokenize(text))
    assert ",".join(join_tokens(part) for part in split_tokens(pieces)) == text
    assert (
        ",".join(join_tokens(part) for part in split_tokens(pieces, angles=True))
        == text
    )
    assert "".join(",".join(split_code(text)).split()) == "".join(text.split())
    assert "".join(",".join(split_template_arguments(text)).split()) == "".join(
        text.split()
    )


@pytest.mark.parametrize(
    ("text", "parts", "with_angles"),
    [
        ("f<a, b>(c), d", 3, 2),
        ("a < b, c > d", 2, 1),
        ("1 < b, c > d", 2, 2),
        ("f<g<a, b>, c>(), d", 4, 2),
        ("(a < b, c), d", 2, 2),
        ("", 1, 1),
        ("a,", 2, 2),
    ],
)
def test_angles_count_where_they_are_asked_for(
    text: str, parts: int, with_angles: int
) -> None:
    pieces = drop_blanks_and_comments(tokenize(text))
    assert len(split_tokens(pieces)) == parts
    assert len(split_tokens(pieces, angles=True)) == with_angles


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("float, 128", ["float", "128"]),
        ("C<a, b>, d", ["C<a, b>", "d"]),
        ("(a > b), C<d, e>", ["(a > b)", "C<d, e>"]),
        ("void (*)(int, int), 1", ["void (*)(int, int)", "1"]),
        ("decltype(p->x), 1", ["decltype(p->x)", "1"]),
        ("a->b, c", ["a->b", "c"]),
        ("a>, b, c", ["a>, b, c"]),
    ],
)
def test_template_arguments(text: str, parts: list[str]) -> None:
    assert split_template_arguments(text) == parts


def test_the_end_of_template_arguments() -> None:
    text = "template <typename T, int N = (1 > 0), class U = V<T>> struct S;"
    inside = text.index("<") + 1
    end = text.index(" struct")
    assert end_of_template_arguments(text, inside, len(text)) == end
    assert end_of_template_arguments(text, inside, end - 1) == -1


def test_a_separator_in_brackets_parts_nothing() -> None:
    assert split_words(["a", "&&", "(", "b", "&&", "c", ")"], "&&") == [
        ["a"],
        ["(", "b", "&&", "c", ")"],
    ]
    pieces = drop_blanks_and_comments(tokenize("f(a = 1, b) = c"))
    assert find_top_level(pieces, "=") == len(pieces) - 2
    assert find_top_level(pieces, ",") == -1
