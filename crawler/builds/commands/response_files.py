"""Split command lines into words, and expand response files (`@file`)."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from typing import Final

ResponseFileReader = Callable[[str], str | None]
"""Returns the text of a response file of the checkout; `None` where it may not be read or is
not there.
"""
MAX_WORDS: Final = 20_000
_MOST_FILES: Final = 100
_MOST_TEXT: Final = 2 << 20
_DEEPEST: Final = 5
_FLAGS: Final = ("--options-file", "-optf")
_PIECE: Final = re.compile(r"""(?P<blank>\s+)|"(?P<double>(?:[^"\\]|\\.?)*)"?|'(?P<single>(?:[^'\\]|\\.?)*)'?"""
                           r"""|(?P<plain>(?:[^\s"'\\]|\\.?)+)""", re.DOTALL)  # fmt: skip
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED_SOME: Final = re.compile(r"""\\(["'\\ ])""")


def expand_response_files(
    words: Iterable[str],
    read_response_file: ResponseFileReader,
    *,
    for_nvcc: bool = False,
) -> Iterator[str]:
    """Yield the words with response files replaced by what they hold, at most 20,000 words of
    100 files in all.
    """
    for count, word in enumerate(
        _expanded(words, _Budget(read_response_file), for_nvcc, 0)
    ):
        if count >= MAX_WORDS:
            return
        yield word


def split_command_line(command: str) -> list[str]:
    """Split a shell's command line into words; where its quotes do not close, at blanks."""
    if not set("\"'\\").intersection(command):
        return command.split()
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def split_response_file(text: str, *, for_nvcc: bool = False) -> Iterator[str]:
    """Split a response file as gcc and clang do, where a backslash takes the meaning from
    whatever follows it.

    For nvcc it does so before quotes, blanks and backslashes only: paths of Windows stay whole.
    """
    escaped = _ESCAPED_SOME if for_nvcc else _ESCAPED
    pieces: list[str] = []
    for found in _PIECE.finditer(text.removeprefix("\ufeff")):
        if found["blank"] is None:
            pieces.append(escaped.sub(r"\1", found[found.lastgroup or 0]))
        elif pieces:
            yield "".join(pieces)
            pieces = []
    if pieces:
        yield "".join(pieces)


class _Budget:
    """Reads until there were 100 files or 2 MiB of text: files that name each other would
    multiply.
    """

    def __init__(self, files: ResponseFileReader) -> None:
        self._files = files
        self._most_files = _MOST_FILES
        self._most_text = _MOST_TEXT

    def __call__(self, name: str) -> str | None:
        self._most_files -= 1
        text = (
            self._files(name) if self._most_files >= 0 and self._most_text > 0 else None
        )
        if text is None:
            return None
        text = text[: self._most_text]
        self._most_text -= len(text)
        return text


def _expanded(
    words: Iterable[str], files: ResponseFileReader, nvcc: bool, depth: int
) -> Iterator[str]:
    pending = iter(words)
    for word in pending:
        names = _named(word, pending)
        if names is None:
            yield word
            continue
        for name in names if depth < _DEEPEST else ():
            text = files(name)
            if text is not None:
                yield from _expanded(
                    split_response_file(text, for_nvcc=nvcc), files, nvcc, depth + 1
                )


def _named(word: str, following: Iterator[str]) -> list[str] | None:
    if word.startswith("@"):
        return [word[1:]]
    flag, equals, value = word.partition("=")
    if flag in _FLAGS:
        return (value if equals else next(following, "")).split(",")
    return None
