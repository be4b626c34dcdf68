"""Source files as text with one character per byte, so that clang offsets index them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property, wraps
from pathlib import Path
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from crawler.cpp.brackets import bracket_pairs
from crawler.cpp.directives import ends_line
from crawler.cpp.lexer import TokenKind, tokenize
from crawler.cpp.split_chevrons import rejoin_chevrons
from crawler.model import Span

_LARGEST = 16 << 20
_MOST_KEPT = 24 << 20
_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


class Lexeme(NamedTuple):
    """A token that a compiler sees, its offset, and the directive that it stands in (empty in
    plain code).
    """

    kind: TokenKind
    text: str
    offset: int
    directive: str

    @property
    def end(self) -> int:
        """The offset behind it."""
        return self.offset + len(self.text)


class SourceText:
    """One file of the project; the chevrons of its launches stand together, whatever gaps the
    file has in them.
    """

    def __init__(self, path: str, content: bytes) -> None:
        self.path = path
        written = content.decode("latin-1")
        self.raw = rejoin_chevrons(written)
        self.has_rejoined_chevrons = self.raw != written
        self.is_complete = len(content) < _LARGEST
        self.cached_results: dict[Any, Any] = {}
        """Results of the functions that are `remembered`."""

    @cached_property
    def _line_starts(self) -> list[int]:
        return [
            0,
            *(
                index + 1
                for index, character in enumerate(self.raw)
                if character == "\n"
            ),
        ]

    def line_number(self, offset: int) -> int:
        """Return the line of an offset, from 1."""
        return bisect_right(self._line_starts, offset)

    def text_between(self, start: int, end: int) -> str:
        """Return a range as real text; what is not UTF-8 becomes U+FFFD."""
        return self.raw[start:end].encode("latin-1").decode("utf-8", "replace")

    def make_span(self, start: int, end: int) -> Span:
        """Return the span of a range."""
        last = self.line_number(max(start, end - 1))
        return Span(
            path=self.path,
            line=self.line_number(start),
            end_line=last,
            offset=start,
            end_offset=end,
        )

    @cached_property
    def lexemes(self) -> list[Lexeme]:
        """The significant tokens of the file, in order."""
        return _lexemes(self.raw, 0)

    def lexemes_between(self, start: int, end: int) -> Sequence[Lexeme]:
        """Return the tokens of a range that begins and ends between two of them; the file need
        not be cut for it.
        """
        if "lexemes" in self.__dict__:
            return self.lexemes[self.lexeme_index(start) : self.lexeme_index(end)]
        return _lexemes(self.raw[start:end], start)

    @cached_property
    def closing_brackets(self) -> dict[int, int]:
        """The position in `lexemes` of the bracket that closes each opening one, whatever their
        kinds.
        """
        return bracket_pairs(lexeme.text for lexeme in self.lexemes)

    def lexeme_index(self, offset: int) -> int:
        """Return the position in `lexemes` of the first one at or behind an offset."""
        return bisect_left(self.lexemes, offset, key=lambda lexeme: lexeme.offset)

    def names_between(self, start: int, end: int) -> frozenset[str]:
        """Return the names that stand in a range."""
        return frozenset(
            lexeme.text
            for lexeme in self.lexemes_between(start, end)
            if lexeme.kind is TokenKind.NAME
        )


def cache_per_source(
    function: Callable[Concatenate[SourceText, _Arguments], _Result],
) -> Callable[Concatenate[SourceText, _Arguments], _Result]:
    """Let a function of a source run once for each source and arguments, for as long as the
    source is kept.
    """

    @wraps(function)
    def known(
        source: SourceText, /, *arguments: _Arguments.args, **options: _Arguments.kwargs
    ) -> _Result:
        key = (function, arguments, *options.items())
        if key not in source.cached_results:
            source.cached_results[key] = function(source, *arguments, **options)
        found: _Result = source.cached_results[key]
        return found

    return known


class SourceFiles:
    """The project's files, read once each while they are not too many."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._read: dict[str, SourceText] = {}
        self._files: dict[str, bool] = {}

    def __contains__(self, path: str) -> bool:
        """Tell whether there is such a file."""
        if path not in self._files:
            self._files[path] = (self.root / path).is_file()
        return self._files[path]

    def evict_if_large(self) -> None:
        """Forget what was read when it is much: tokens take some hundred times the space of
        their text.
        """
        if sum(len(source.raw) for source in self._read.values()) > _MOST_KEPT:
            self._read.clear()

    def __getitem__(self, path: str) -> SourceText:
        if path not in self._read:
            try:
                with (self.root / path).open("rb") as opened:
                    content = opened.read(_LARGEST)
            except OSError:
                content = b""
            self._read[path] = SourceText(path, content)
        return self._read[path]


def _lexemes(text: str, offset: int) -> list[Lexeme]:
    """Return the tokens of a text that begins at an offset of its file."""
    found: list[Lexeme] = []
    directive, fresh = "", True
    for token in tokenize(text):
        if token.kind is TokenKind.SPACE:
            if ends_line(token.text):
                directive, fresh = "", True
        elif token.kind is not TokenKind.COMMENT:
            if token.text == "#" and fresh:
                directive = "#"
            elif directive == "#":
                directive = token.text
            found.append(Lexeme(token.kind, token.text, offset, directive))
            fresh = False
        offset += len(token.text)
    return found
