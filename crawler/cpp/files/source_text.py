"""Source files as text with one character per byte, so that clang offsets index them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, Concatenate, Final, NamedTuple, ParamSpec, TypeVar

from crawler.cpp.brackets import bracket_pairs
from crawler.cpp.files.split_chevrons import rejoin_chevrons
from crawler.cpp.lexer import TokenKind, ends_line, tokenize
from crawler.model import Span

_MAX_FILE_BYTES: Final = 16 << 20
"""Bytes of a file that are read."""
# one character of raw text: a `finditer` is several times faster than a loop
_LINE_END: Final = re.compile("\\n")
_MAX_CACHED_CHARACTERS: Final = 24 << 20
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Lexeme(NamedTuple):
    """A token that a compiler sees, with its offset in the file."""

    kind: TokenKind
    text: str
    offset: int
    directive: str
    """The name of the directive that it stands in; empty in plain code."""

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.offset + len(self.text)


class SourceText:
    """One file of the project.

    The chevrons of its launches stand together, whatever gaps the file has in them.
    """

    def __init__(self, path: str, content: bytes) -> None:
        # one character a byte, whatever the file's encoding is
        written = content.decode("latin-1")
        self.path = path
        self.raw = rejoin_chevrons(written)
        self.has_rejoined_chevrons = self.raw != written
        self.is_complete = len(content) < _MAX_FILE_BYTES
        self.cached_results: dict[Any, Any] = {}
        """Results of the functions that `cache_per_source` wraps."""

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _LINE_END.finditer(self.raw))]

    def line_number(self, offset: int) -> int:
        """Return the line of an offset, from 1."""
        return bisect_right(self._line_starts, offset)

    def line_offset(self, line: int) -> int:
        """Return where a line begins, from 1; the text's length for one behind its end."""
        starts = self._line_starts
        return starts[line - 1] if 0 < line <= len(starts) else len(self.raw)

    def text_between(self, start: int, end: int) -> str:
        """Return a range as real text; what is not UTF-8 becomes U+FFFD."""
        return self.raw[start:end].encode("latin-1").decode("utf-8", "replace")

    def make_span(self, start: int, end: int) -> Span:
        """Return the span of a range."""
        # the last character, not the one behind it, tells the last line
        last_offset = max(start, end - 1)
        end_line = self.line_number(last_offset)

        return Span(
            path=self.path,
            line=self.line_number(start),
            end_line=end_line,
            offset=start,
            end_offset=end,
        )

    @cached_property
    def lexemes(self) -> list[Lexeme]:
        """The significant tokens of the file, in order."""
        return _cut_lexemes(self.raw, 0)

    @cached_property
    def _lexeme_offsets(self) -> list[int]:
        return [lexeme.offset for lexeme in self.lexemes]

    def lexemes_between(self, start: int, end: int) -> Sequence[Lexeme]:
        """Return the tokens of a range that begins and ends between two of them.

        Only the range is tokenized, where the whole file has not been.
        """
        if "lexemes" in self.__dict__:
            return self.lexemes[self.lexeme_index(start) : self.lexeme_index(end)]

        return _cut_lexemes(self.raw[start:end], start)

    @cached_property
    def closing_brackets(self) -> dict[int, int]:
        """For each opening bracket's position in `lexemes` that of the one that closes it.

        Kinds of brackets are not told apart.
        """
        return bracket_pairs(lexeme.text for lexeme in self.lexemes)

    def find_closing_bracket(self, opening_index: int) -> int:
        """Return the position in `lexemes` of what closes the bracket at `opening_index`, or -1."""
        return self.closing_brackets.get(opening_index, -1)

    def lexeme_index(self, offset: int) -> int:
        """Return the position in `lexemes` of the first one at or behind an offset."""
        return bisect_left(self._lexeme_offsets, offset)

    def names_between(self, start: int, end: int) -> frozenset[str]:
        """Return the names that stand in a range."""
        lexemes = self.lexemes_between(start, end)
        return frozenset(
            lexeme.text for lexeme in lexemes if lexeme.kind is TokenKind.NAME
        )


def cache_per_source(
    function: Callable[Concatenate[SourceText, _Arguments], _Result],
) -> Callable[Concatenate[SourceText, _Arguments], _Result]:
    """Make a function of a source run once for each source and arguments.

    Results live as long as the source does.
    """

    @wraps(function)
    def call_cached(
        source: SourceText, /, *arguments: _Arguments.args, **options: _Arguments.kwargs
    ) -> _Result:
        key = (function, arguments, *options.items())
        if key not in source.cached_results:
            source.cached_results[key] = function(source, *arguments, **options)

        result: _Result = source.cached_results[key]
        return result

    return call_cached


class SourceFiles:
    """The project's files, read once each while they are not too many."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._sources: dict[str, SourceText] = {}
        self._is_file: dict[str, bool] = {}

    def __contains__(self, path: str) -> bool:
        """Tell whether there is such a file."""
        if path not in self._is_file:
            self._is_file[path] = (self.root / path).is_file()

        return self._is_file[path]

    def add(self, source: SourceText) -> None:
        """Add a source whose text is in memory alone."""
        self._sources[source.path] = source

    def evict_if_large(self) -> None:
        """Forget what was read when it is much.

        Tokens take some hundred times the space of their text.
        """
        cached_characters = sum(len(source.raw) for source in self._sources.values())
        if cached_characters > _MAX_CACHED_CHARACTERS:
            self._sources.clear()

    def __getitem__(self, path: str) -> SourceText:
        if path not in self._sources:
            content = self._read_content(path)
            self._sources[path] = SourceText(path, content)

        return self._sources[path]

    def _read_content(self, path: str) -> bytes:
        """Return a file's content; empty where it cannot be read."""
        try:
            with (self.root / path).open("rb") as file:
                return file.read(_MAX_FILE_BYTES)
        except OSError:
            return b""


def _cut_lexemes(text: str, offset: int) -> list[Lexeme]:
    """Return the significant tokens of a text that begins at an offset of its file."""
    # the same walk as `directives.with_directives`, kept flat: every token of a project's files
    # passes through it
    lexemes: list[Lexeme] = []
    directive = ""
    at_line_start = True

    for token in tokenize(text):
        if token.kind is TokenKind.SPACE:
            if ends_line(token.text):
                directive = ""
                at_line_start = True
        elif token.kind is not TokenKind.COMMENT:
            if token.text == "#" and at_line_start:
                directive = "#"
            elif directive == "#":
                directive = token.text

            lexemes.append(Lexeme(token.kind, token.text, offset, directive))
            at_line_start = False

        offset += len(token.text)

    return lexemes
