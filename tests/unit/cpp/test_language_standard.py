"""The standard of a compile command, and the one that a unit records."""

from __future__ import annotations

import pytest

from crawler.cpp.language_standard import (
    KNOWN_STANDARDS,
    format_standard_comment,
    read_recorded_standard,
    requested_standard,
)


@pytest.mark.parametrize(
    ("arguments", "standard"),
    [
        ([], "c++17"),
        (["-std=c++14"], "c++17"),
        (["-std=gnu++20"], "c++20"),
        (["--std=c++2b"], "c++23"),
        (["-std=c++20", "-O2", "-std=c++17"], "c++17"),
        (["-std=c++17", "-std=c++20"], "c++20"),
    ],
)
def test_the_last_option_counts_where_it_is_newer(
    arguments: list[str], standard: str
) -> None:
    assert requested_standard(arguments) == standard


@pytest.mark.parametrize("standard", sorted(KNOWN_STANDARDS))
def test_a_unit_says_what_it_needs(standard: str) -> None:
    text = f"{format_standard_comment(standard)}int a;\n"
    assert read_recorded_standard(text) == standard


@pytest.mark.parametrize(
    "text", ["", "int a; // -std=c++20", "\n// -std=c++20\n", "// -std=c++98\n"]
)
def test_other_texts_need_the_usual_one(text: str) -> None:
    assert read_recorded_standard(text) == "c++17"
