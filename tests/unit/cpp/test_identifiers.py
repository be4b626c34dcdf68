"""Characters and words of names."""

from __future__ import annotations

import pytest

from crawler.cpp.identifiers import IDENTIFIER, is_word_character


@pytest.mark.parametrize("character", ["a", "Z", "_", "7", "\u00e9"])
def test_letters_digits_and_underscores_stand_in_names(character: str) -> None:
    assert is_word_character(character)


@pytest.mark.parametrize("character", ["", " ", "$", "-", "\n", ":"])
def test_nothing_else_does(character: str) -> None:
    assert not is_word_character(character)


def test_identifiers_of_raw_text_are_words_that_begin_with_a_letter() -> None:
    assert IDENTIFIER.findall("x1 = _y + 1.f; // 9z") == ["x1", "_y", "f", "z"]
