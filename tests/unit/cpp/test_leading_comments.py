"""The comment in front of a declaration is read as its author wrote it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.leading_comments import read_leading_comment


def read(before: str, head: str = "") -> str:
    return read_leading_comment(before + head)


@pytest.mark.parametrize(
    ("comment", "text"),
    [
        ("// Scales a vector.\n", "Scales a vector."),
        ("/// Scales a vector\n/// in place.\n", "Scales a vector\nin place."),
        ("/* Scales a vector. */\n", "Scales a vector."),
        (
            "/**\n * @brief Scales a \\p x.\n *\n * @param x what to scale\n */\n",
            "Scales a x.",
        ),
        ("//=====\n// Scales a vector.\n//=====\n", "Scales a vector."),
        ("//! \\details Ma\u00dfe je Zeile.\r\n", "Ma\u00dfe je Zeile."),
        ("// Scales.\n// TODO: faster\n", "Scales."),
        ("/* Computes\n   a * b // c. */\n", "Computes\na * b // c."),
    ],
)
def test_marks_banners_and_commands_are_no_part_of_it(comment: str, text: str) -> None:
    assert read(f"int other;\n{comment}") == text


@pytest.mark.parametrize(
    "head",
    [
        "template <typename T>\n",
        "static inline\n",
        "template <int N,\n  int M>\nAPI\n",
        "static ",
    ],
)
def test_it_may_stand_in_front_of_the_head_of_the_declaration(head: str) -> None:
    assert read("// Scales a vector.\n", head) == "Scales a vector."


@pytest.mark.parametrize(
    "before",
    [
        "",
        "// Of something else.\n\n",
        "// Of another.\nint other;\n",
        "// Of a directive.\n#define N 4\n",
        "int other; /* of that one */\n",
        "// x[i] = 2 * x[i];\n",
        "// if (n > 2) {\n",
        "// Copyright (c) of somebody\n",
        "/* Licensed under the terms of one\n * All rights reserved. */\n",
    ],
)
def test_what_is_about_something_else_is_none(before: str) -> None:
    assert read(before) == ""


def test_of_an_endless_comment_only_what_is_near_is_looked_at() -> None:
    text = read("// Scales it.\n" + "// word\n" * 100_000)

    assert 0 < len(text) < 20_000


@given(st.text(alphabet="/*! @\\\n\rab;{}", max_size=60))
def test_any_text_is_read(text: str) -> None:
    comment = read_leading_comment(text)

    assert comment == comment.strip()
    assert not comment or set("ab") & set(text)
