"""What a word is, and which kernels have a phrase."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import Operator
from storage.index.kernel_rows.text_words import (
    Phrase,
    join_words,
    list_words,
    read_phrase,
)
from storage.index.query.glob import Glob
from tests.unit.storage.samples import make_kernel


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("roi_align<float>(x[0])", ["roi", "align", "float", "x", "0"]),
        (
            "__shared__ T* a; // Shared memory!",
            ["shared", "t", "a", "shared", "memory"],
        ),
        ("0x1F 1e-5f", ["0x1f", "1e", "5f"]),
        ("a" * 100, ["a" * 64]),
        ("", []),
    ],
)
def test_words_are_runs_of_letters_and_digits(text: str, words: list[str]) -> None:
    assert list_words(text) == words


def test_letters_of_any_script_become_ascii_and_stay_different() -> None:
    first, second, third = list_words("größe 大 小")
    assert first == "gruf6udfe"
    assert (second, third) == ("u5927", "u5c0f")


def test_a_text_without_an_end_costs_what_the_longest_one_does() -> None:
    assert len(list_words("a " * 50_000)) == 16_000


def test_names_operators_and_source_are_searched() -> None:
    kernel = replace(
        make_kernel("roi_align"), source="x", operators=(Operator(name="roi.op"),)
    )
    assert join_words(kernel).split()[:2] == ["roi", "align"]
    assert join_words(kernel).split()[-3:] == ["roi", "op", "x"]


@pytest.mark.parametrize(
    ("pieces", "phrase"),
    [
        (("shared memory",), Phrase(("shared", "memory"), False)),
        (("shared mem", ""), Phrase(("shared", "mem"), True)),
        (("", "mem"), None),
        (("a", "b", ""), None),
        (("shared ", ""), None),
        (("+=",), None),
        (("",), None),
    ],
)
def test_a_phrase_is_words_of_which_the_last_may_go_on(
    pieces: tuple[str, ...], phrase: Phrase | None
) -> None:
    assert read_phrase(Glob(pieces)) == phrase


def test_a_phrase_stands_where_its_words_do_one_behind_the_other() -> None:
    words = list_words("the shared memory of a block")
    assert Phrase(("shared", "memory"), False).is_in(words)
    assert Phrase(("shared", "mem"), True).is_in(words)
    assert not Phrase(("shared", "mem"), False).is_in(words)
    assert not Phrase(("memory", "shared"), False).is_in(words)
    assert not Phrase(("block", "block"), False).is_in(words)
