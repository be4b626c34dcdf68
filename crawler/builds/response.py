"""Response files: `@file` on a command line stands for the words in that file."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from typing import Final

ResponseFiles = Callable[[str], str | None]
"""Returns the text of a response file of the checkout; `None` where it may not be read or is not there."""
MOST_WORDS: Final = 20_000
_DEEPEST: Final = 3
_FLAGS: Final = ("--options-file", "-optf")


def expand(words: Iterable[str], files: ResponseFiles) -> Iterator[str]:
    """Yield the words with response files replaced by what they hold, at most 20,000 in all."""
    for count, word in enumerate(_expanded(words, files, 0)):
        if count >= MOST_WORDS:
            return
        yield word


def words_of(command: str) -> list[str]:
    """Split a shell's command line into words; where its quotes do not close, at blanks."""
    if not set("\"'\\").intersection(command):
        return command.split()
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _expanded(words: Iterable[str], files: ResponseFiles, depth: int) -> Iterator[str]:
    pending = iter(words)
    for word in pending:
        name = _named(word, pending)
        if name is None:
            yield word
        elif depth < _DEEPEST and (text := files(name)) is not None:
            yield from _expanded(words_of(text), files, depth + 1)


def _named(word: str, following: Iterator[str]) -> str | None:
    if word.startswith("@"):
        return word[1:]
    flag, equals, value = word.partition("=")
    if flag in _FLAGS:
        return value if equals else next(following, "")
    return None
