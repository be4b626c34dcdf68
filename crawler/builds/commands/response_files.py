"""Split command lines into words, and expand response files (`@file`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

ResponseFileReader = Callable[[str], str | None]
"""Returns the text of a response file of the checkout; `None` where it may not be read or is
not there.
"""
MAX_WORDS: Final = 20_000
_MAX_FILES: Final = 100
_MAX_TEXT_CHARS: Final = 2 << 20
_MAX_DEPTH: Final = 5
_OPTIONS_FILE_FLAGS: Final = ("--options-file", "-optf")
# a command line by the rules of GNU's response files
_PIECE: Final = re.compile(
    r"""(?P<blank>\s+)"""
    r"""|"(?P<double>(?:[^"\\]|\\.?)*)"?"""
    r"""|'(?P<single>(?:[^'\\]|\\.?)*)'?"""
    r"""|(?P<plain>(?:[^\s"'\\]|\\.?)+)""",
    re.DOTALL,
)
# a command line by those of a shell
_SHELL_PIECE: Final = re.compile(
    r"""(?P<blank>[ \t\r\n]+)"""
    r"""|'(?P<single>[^']*)'"""
    r"""|"(?P<double>(?:[^"\\]|\\.)*+)\""""
    r"""|\\(?P<escaped>.)"""
    r"""|(?P<plain>[^ \t\r\n"'\\]+)""",
    re.DOTALL,
)
# what a backslash does within quotes of a shell, of GNU's files and of nvcc's
_SHELL_ESCAPE: Final = re.compile(r"""\\(["\\])""")
_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)
_NVCC_ESCAPE: Final = re.compile(r"""\\(["'\\ ])""")


def expand_response_files(
    words: Iterable[str],
    read_response_file: ResponseFileReader,
    *,
    for_nvcc: bool = False,
) -> Iterator[str]:
    """Yield the words with response files replaced by their content.

    Stops after 20,000 words, and reads at most 100 files.
    """
    expander = _Expander(read_response_file, for_nvcc=for_nvcc)
    return islice(expander.expand(words), MAX_WORDS)


def split_command_line(command: str) -> list[str]:
    """Split a shell's command line into words; where its quotes do not close, at blanks."""
    if not set("\"'\\").intersection(command):
        return command.split()

    words = _split_shell_words(command)

    return command.split() if words is None else words


def _split_shell_words(command: str) -> list[str] | None:
    """Split as `shlex.split` does, which takes quadratic time for a long word.

    `None` where quotes do not close.
    """
    words: list[str] = []
    pieces: list[str] = []
    position = 0

    while position < len(command):
        match = _SHELL_PIECE.match(command, position)
        if match is None:
            return None

        position = match.end()
        kind = match.lastgroup or ""
        if kind != "blank":
            piece = match[kind]
            # in double quotes a backslash escapes a quote or a backslash alone
            if kind == "double":
                piece = _SHELL_ESCAPE.sub(r"\1", piece)

            pieces.append(piece)
        elif pieces:
            words.append("".join(pieces))
            pieces = []

    if pieces:
        words.append("".join(pieces))

    return words


def split_response_file(text: str, *, for_nvcc: bool = False) -> Iterator[str]:
    r"""Split a response file as gcc and clang do, where a backslash escapes any character.

    For nvcc it does so before quotes, blanks and backslashes only, so that paths such as
    `C:\src` stay whole.
    """
    escape = _NVCC_ESCAPE if for_nvcc else _ESCAPE
    pieces: list[str] = []

    for match in _PIECE.finditer(text.removeprefix("\ufeff")):
        if match["blank"] is None:
            piece = match[match.lastgroup or 0]
            pieces.append(escape.sub(r"\1", piece))
        elif pieces:
            # pieces without a blank between them are one word: -D"X Y"=1
            yield "".join(pieces)
            pieces = []

    if pieces:
        yield "".join(pieces)


class _Expander:
    """Expands response files until 100 files or 2 MiB of text were read.

    Files that name each other would otherwise multiply.
    """

    def __init__(
        self, read_response_file: ResponseFileReader, *, for_nvcc: bool
    ) -> None:
        self._read_response_file = read_response_file
        self._for_nvcc = for_nvcc
        self._files_left = _MAX_FILES
        self._chars_left = _MAX_TEXT_CHARS

    def expand(self, words: Iterable[str], depth: int = 0) -> Iterator[str]:
        pending = iter(words)
        for word in pending:
            names = _parse_file_names(word, pending)
            if names is None:
                yield word
                continue

            # gcc and clang end such loops with an error
            if depth >= _MAX_DEPTH:
                continue

            for name in names:
                text = self._read_text(name)
                if text is not None:
                    inner_words = split_response_file(text, for_nvcc=self._for_nvcc)
                    yield from self.expand(inner_words, depth + 1)

    def _read_text(self, name: str) -> str | None:
        self._files_left -= 1
        if self._files_left < 0 or self._chars_left <= 0:
            return None

        text = self._read_response_file(name)
        if text is None:
            return None

        # what is over the limit is cut off, in the midst of a word
        text = text[: self._chars_left]
        self._chars_left -= len(text)

        return text


def _parse_file_names(word: str, following_words: Iterator[str]) -> list[str] | None:
    """Return the response files that a word names, `None` where it is another word.

    `--options-file` takes its value from `following_words`.
    """
    if word.startswith("@"):
        return [word[1:]]

    flag, equals, value = word.partition("=")
    if flag not in _OPTIONS_FILE_FLAGS:
        return None

    if not equals:
        value = next(following_words, "")

    return value.split(",")
