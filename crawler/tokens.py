"""A lossless tokenizer for C++, CUDA and HIP: any text in, tokens out that join to the same text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final, NamedTuple


class Kind(StrEnum):
    """What a token is; `HEADER` and `MESSAGE` occur in directives only."""

    SPACE = "space"
    """Blanks, line ends and spliced lines."""
    COMMENT = "comment"
    STRING = "string"
    CHARACTER = "character"
    NUMBER = "number"
    NAME = "name"
    """Identifiers and keywords."""
    HEADER = "header"
    """What stands after `#include`, with its brackets or quotes."""
    MESSAGE = "message"
    """The text of `#error` and `#warning`."""
    PUNCTUATION = "punctuation"


class Token(NamedTuple):
    """A piece of source text, and the line that it begins on, from 1."""

    kind: Kind
    text: str
    line: int


# Every alternative is linear: what is never closed runs to the end of its line or of the text.
_TOKEN: Final = re.compile(
    r"""
      (?P<space>(?:[\ \t\r\n\f\v]|\\\r?\n)+)
    | (?P<comment>//(?:[^\\\n]|\\\r?\n|\\)*|/\*(?s:.*?)(?:\*/|\Z))
    | (?P<string>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s"]{0,16})\((?s:.*?)(?:\)(?P=delimiter)"|\Z)
        |(?:u8|[uUL])?"(?:[^"\\\n]|\\\r?\n|\\[^\r\n]|\\)*"?)
    | (?P<character>(?:u8|[uUL])?'(?:[^'\\\n]|\\\r?\n|\\[^\r\n]|\\)*'?)
    | (?P<number>\.?[0-9](?:[eEpP][+-]|'?[0-9A-Za-z_.])*)
    | (?P<name>[^\W\d]\w*)
    | (?P<punctuation><<<|>>>|::|->|\#\#|(?s:.))
    """,
    re.VERBOSE,
)
_HEADER: Final = re.compile(r'<[^>\n]*>|"[^"\n]*"')
_MESSAGE: Final = re.compile(r"(?:[^\\\n]|\\\r?\n|\\)+")
_INCLUDES: Final = frozenset({"include", "include_next", "import"})
_MESSAGES: Final = frozenset({"error", "warning"})
_BLANK: Final = frozenset({Kind.SPACE, Kind.COMMENT})
_KINDS: Final = {kind.value: kind for kind in Kind}
_MARKING: Final = frozenset({Kind.SPACE, Kind.NAME})
"""Kinds that may change where in a preprocessor line an idle tokenizer stands."""
_SPANNING: Final = frozenset({Kind.SPACE, Kind.COMMENT, Kind.STRING, Kind.CHARACTER, Kind.MESSAGE, Kind.PUNCTUATION})
"""Kinds that may hold line ends."""


class _Directive:
    """Where in a preprocessor line the tokenizer stands."""

    def __init__(self) -> None:
        self.line_start = True
        self.expects: re.Pattern[str] | None = None
        self._hash = False
        self._queried = False

    @property
    def is_idle(self) -> bool:
        """Whether it stands in the middle of a line and waits for nothing."""
        return not (self.line_start or self._hash or self._queried or self.expects)

    def advance(self, kind: Kind, text: str) -> None:
        """Take notice of the next token."""
        if kind in _BLANK:
            if kind is Kind.SPACE and _ends_line(text):
                self.line_start, self.expects, self._hash, self._queried = True, None, False, False
            return
        after_hash, queried = self._hash, self._queried
        self._hash = self.line_start and text == "#"
        self._queried = text in ("__has_include", "__has_include_next")
        self.line_start = False
        self.expects = None
        if (after_hash and text in _INCLUDES) or (queried and text == "("):
            self.expects = _HEADER
        elif after_hash and text in _MESSAGES:
            self.expects = _MESSAGE


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of `text`; their texts join to `text`, whatever it holds."""
    directive = _Directive()
    position, line, length = 0, 1, len(text)
    while position < length:
        kind, end = _next(text, position, directive)
        piece = text[position:end]
        yield Token(kind, piece, line)
        if kind in _MARKING or not directive.is_idle:
            directive.advance(kind, piece)
        if kind in _SPANNING:
            line += piece.count("\n")
        position = end


def join(pieces: Iterable[Token]) -> str:
    """Return the text that the tokens were made from."""
    return "".join(token.text for token in pieces)


def significant(pieces: Iterable[Token]) -> list[Token]:
    """Return the tokens that a compiler sees: no blanks, no comments."""
    return [token for token in pieces if token.kind not in _BLANK]


def token_digest(text: str) -> str:
    """Return the sha256 over the significant tokens: the same for texts that differ in layout and comments only."""
    state = hashlib.sha256()
    for token in significant(tokens(text)):
        state.update(token.text.encode("utf-8", "surrogateescape"))
        state.update(b"\0")
    return state.hexdigest()


def _next(text: str, position: int, directive: _Directive) -> tuple[Kind, int]:
    if directive.expects is not None:
        special = directive.expects.match(text, position)
        if special:
            return (Kind.HEADER if directive.expects is _HEADER else Kind.MESSAGE), special.end()
    found = _TOKEN.match(text, position)
    assert found is not None
    assert found.lastgroup is not None
    return _KINDS[found.lastgroup], found.end()


def _ends_line(blank: str) -> bool:
    return "\n" in blank.replace("\\\r\n", "").replace("\\\n", "")
