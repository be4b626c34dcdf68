"""A file says in its first comments what is in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.file_comments import read_file_comment

LICENCE = """\
/*
 * Copyright (c) 2020, Somebody.
 *
 * Redistribution and use are permitted, without any warranty.
 */
"""
WORDS = "Sums the rows of a matrix."


@pytest.mark.parametrize(
    "text",
    [
        f"// {WORDS}\n#include <cstdio>\n",
        f"/* {WORDS} */\n\nint x;\n",
        f"{LICENCE}\n// {WORDS}\n\n#include <cstdio>\n",
        f"{LICENCE}#pragma once\n/** {WORDS}\n */\n#include <cstdio>\n",
        f"/*\n * rows.cu\n *\n * {WORDS}\n *\n * Build with: nvcc rows.cu\n */\n#include <x>\n",
        f"/*! \\file rows.cu\n *  \\brief {WORDS} */\n\n#ifdef ROWS\n",
        f"/*\n{WORDS}\n\nversion 1 takes a thread a row\n./rows 1\n*/\n\n#include <x>\n",
    ],
)
def test_its_first_words_are_read(text: str) -> None:
    assert read_file_comment(text) == WORDS


@pytest.mark.parametrize(
    "text",
    [
        LICENCE,
        "// rows.cu\n#include <cstdio>\n",
        "// int n = 4;\n// n += call(n);\n#include <cstdio>\n",
        "#include <cstdio>\n// Sums the rows of a matrix.\n\n",
        "// Please cite our paper of that year.\n\n",
        "",
    ],
)
def test_what_says_nothing_of_it_is_left_out(text: str) -> None:
    assert read_file_comment(text) == ""


def test_the_comment_of_the_first_declaration_is_not_about_the_file() -> None:
    kernel = f"// {WORDS}\n__global__ void sum(float *x);\n"

    assert read_file_comment(kernel) == ""
    assert (
        read_file_comment(f"// Rows of all kinds.\n\n{kernel}") == "Rows of all kinds."
    )


@given(st.text(alphabet="/*\n #ab\\\"'x.", max_size=60))
def test_any_text_has_one_or_none(text: str) -> None:
    assert read_file_comment(text).strip() == read_file_comment(text)
