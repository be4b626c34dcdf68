"""The words of kernels that a search finds: the same in SQLite, in Postgres and in memory.

A word is a run of letters and digits, in lower case; `_` parts words, so `roi_align` is two.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from storage.index.query.glob import Glob

if TYPE_CHECKING:
    from crawler.model import Kernel

# names and texts in any language, cut as Postgres and SQLite cut them
_WORD: Final = re.compile(r"[^\W_]+")
_MAX_WORDS: Final = 16_000
"""Postgres tells no places of words behind the 16,383rd apart."""
_MAX_WORD_CHARACTERS: Final = 64


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words one behind the other."""

    words: tuple[str, ...]
    is_prefix: bool
    """Whether the last one may go on."""

    def is_in(self, words: Sequence[str]) -> bool:
        """Return whether a text with `words` has the phrase."""
        size = len(self.words)
        *whole, last = self.words
        for start in range(len(words) - size + 1):
            end = words[start + size - 1]
            is_last = end.startswith(last) if self.is_prefix else end == last
            if is_last and list(words[start : start + size - 1]) == whole:
                return True

        return False


def list_words(text: str) -> list[str]:
    """Return the words of a text, the first 16,000."""
    words: list[str] = []
    for match in _WORD.finditer(text):
        if len(words) == _MAX_WORDS:
            break
        words.append(_spell(match.group()))

    return words


def join_words(kernel: Kernel) -> str:
    """Return the words of a kernel's names and source, with a space between."""
    names = [kernel.name, kernel.qualified_name]
    names += [operator.name for operator in kernel.operators]
    return " ".join(list_words("\n".join((*names, kernel.source))))


def read_phrase(value: Glob) -> Phrase | None:
    """Return the phrase that a value asks for; `None` for one without a word, or with a `*` that
    does not end a word at its end.
    """
    is_prefix = len(value.pieces) == 2 and not value.pieces[1]
    words = tuple(list_words(value.pieces[0]))
    if not words or not (value.is_exact or is_prefix):
        return None
    # `shared_*` asks for a word behind `shared`, which a prefix cannot
    if is_prefix and not _WORD.match(value.pieces[0][-1]):
        return None

    return Phrase(words, is_prefix)


def _spell(word: str) -> str:
    """Return a word as both databases take it for one: in ASCII, and not too long."""
    lowered = word.lower()
    if not lowered.isascii():
        lowered = "".join(
            character if character.isascii() else f"u{ord(character):x}"
            for character in lowered
        )
    return lowered[:_MAX_WORD_CHARACTERS]
