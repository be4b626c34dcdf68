"""A stranger's text is shown as text, on a page and on a terminal alike."""

from __future__ import annotations

import unicodedata
from enum import StrEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from workers.cli.terminal import escape_line, escape_lines
from workers.web.visible_text import (
    MAX_LINE_CHARACTERS,
    finalize,
    shorten_line,
    spell_out,
)

ACTING = {
    "escape": "\x1b",
    "null": "\0",
    "delete": "\x7f",
    "control of eight bits": "\x9b",
    "soft hyphen": "\xad",
    "Arabic letter mark": "\u061c",
    "Mongolian vowel separator": "\u180e",
    "zero-width space": "\u200b",
    "right-to-left mark": "\u200f",
    "line separator": "\u2028",
    "right-to-left override": "\u202e",
    "word joiner": "\u2060",
    "isolate": "\u2067",
    "digit shapes": "\u206f",
    "byte-order mark": "\ufeff",
    "annotation": "\ufff9",
    "half a character": "\ud800",
    "beam": "\U0001d173",
    "tag": "\U000e0041",
}
LINE_ENDS_AND_TABS = "\t\n\r"
DIRECTIONS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def acts(character: str) -> bool:
    """Whether a character is no text by what Unicode says of it."""
    category = unicodedata.category(character)
    if category in ("Cc", "Cs", "Zl", "Zp"):
        return True
    return unicodedata.bidirectional(character) in DIRECTIONS


@pytest.mark.parametrize("character", ACTING.values(), ids=ACTING)
def test_what_acts_is_written_as_an_escape(character: str) -> None:
    escape = character.encode("unicode_escape").decode()
    assert spell_out(f"a{character}b") == f"a{escape}b"
    assert escape_line(f"a{character}b") == f"a{escape}b"
    assert escape_lines(f"a{character}b\nc") == f"a{escape}b\nc"


@pytest.mark.parametrize(
    "text", ["", "plain", "naïve Größe 北京 🚀", "عربي", "a\\x1bb"]
)
def test_what_is_text_stays_as_it_is(text: str) -> None:
    assert spell_out(text) == escape_line(text) == escape_lines(text) == text


def test_lines_and_tabs_stay_where_there_may_be_several_lines() -> None:
    text = "a\tb\r\nc\n"
    assert spell_out(text) == escape_lines(text) == "a\tb\nc\n"
    assert escape_line(text) == "a\\tb\\r\\nc\\n"
    # alone it sends what writes back to the begin of the line
    assert spell_out("good\rbad") == escape_lines("good\rbad") == "good\\rbad"


@given(text=st.text(st.characters(exclude_categories=()), max_size=60))
def test_of_any_text_nothing_acts(text: str) -> None:
    shown_line = escape_line(text)
    assert not any(map(acts, shown_line))
    for several in (spell_out(text), escape_lines(text)):
        assert not any(
            acts(character) for character in several if character not in "\t\n"
        )
        several.encode()


@given(text=st.text(max_size=60))
def test_to_spell_out_twice_is_to_spell_out_once(text: str) -> None:
    once = spell_out(text)
    assert spell_out(once) == once


@pytest.mark.parametrize("length", [0, 1, MAX_LINE_CHARACTERS])
def test_a_line_that_can_be_read_is_whole(length: int) -> None:
    assert shorten_line("x" * length) == "x" * length


def test_of_a_longer_line_the_begin_is_shown_with_its_length() -> None:
    shown_line = shorten_line("x" * (MAX_LINE_CHARACTERS + 1))
    assert (
        shown_line
        == "x" * MAX_LINE_CHARACTERS + f"… ({MAX_LINE_CHARACTERS + 1} characters)"
    )


class Colour(StrEnum):
    RED = "red\x1b"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (3, 3),
        (False, False),
        ("a\x1b", "a\\x1b"),
        (Colour.RED, "red\\x1b"),
        (Markup("<b>\x1b</b>"), Markup("<b>\x1b</b>")),
    ],
)
def test_a_template_prints_nothing_that_acts(value: object, shown: object) -> None:
    printed = finalize(value)
    assert printed == shown
    assert type(printed) is type(shown)
