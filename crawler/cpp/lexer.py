"""Lossless lexer for C++, CUDA and HIP: the texts of the tokens join to the source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from functools import partial
from itertools import accumulate
from typing import Final, NamedTuple


class TokenKind(StrEnum):
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

    kind: TokenKind
    text: str
    line: int


# Every alternative is linear: what is never closed runs to the end of its line or of the text.
_SPACES: Final = r"(?:[ \t\r\n\f\v]|\\\r?\n)+"
_COMMENTS: Final = r"//(?:[^\\\n]|\\\r?\n|\\)*|/\*(?s:.*?)(?:\*/|\Z)"
_RAW: Final = r"""(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s"]{0,16})\((?s:.*?)(?:\)(?P=delimiter)"|\Z)"""
_STRINGS: Final = r"""(?:u8|[uUL])?"(?:[^"\\\n]|\\\r?\n|\\[^\r\n]|\\)*"?"""
_CHARACTERS: Final = r"""(?:u8|[uUL])?'(?:[^'\\\n]|\\\r?\n|\\[^\r\n]|\\)*'?"""
_NUMBERS: Final = r"\.?[0-9](?:[eEpP][+-]|'?[0-9A-Za-z_.])*"
_NAMES: Final = r"[^\W\d]\w*"
_SIGNS: Final = r"<<<|>>>|::|->|\#\#|(?s:.)"
_HEADERS: Final = r'<[^>\n]{0,400}>|"[^"\n]{0,400}"'
_MESSAGES: Final = r"(?:[^\\\n]|\\\r?\n|\\)+"
# within a line; possessive, since a directive is looked for wherever a `#` stands
_GAPS: Final = r"(?:[ \t\r\f\v]|\\\r?\n|/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)*+"
HEADER_OR_MESSAGE_PATTERN: Final = (
    rf"\#{_GAPS}(?:(?:include|include_next|import)(?!\w){_GAPS}(?:{_HEADERS})|(?:error|warning)(?!\w)(?:{_MESSAGES}))"
    rf"|__has_include(?:_next)?(?!\w){_GAPS}\({_GAPS}(?:{_HEADERS})"
)
"""What holds a header or a message, in one piece: the one place where `<` and `'` are not what
they are elsewhere.
"""

_TOKEN: Final = re.compile(
    rf"(?P<space>{_SPACES})|(?P<comment>{_COMMENTS})|(?P<string>{_RAW}|{_STRINGS})|(?P<character>{_CHARACTERS})"
    rf"|(?P<number>{_NUMBERS})|(?P<name>{_NAMES})|(?P<punctuation>{_SIGNS})"
)
_PIECE: Final = re.compile(
    "|".join(
        (
            _SPACES,
            _COMMENTS,
            HEADER_OR_MESSAGE_PATTERN,
            _STRINGS,
            _CHARACTERS,
            _NUMBERS,
            _NAMES,
            _SIGNS,
        )
    )
)
_PIECE_OR_RAW: Final = re.compile(
    "|".join(
        (
            _SPACES,
            _COMMENTS,
            HEADER_OR_MESSAGE_PATTERN,
            _RAW,
            _STRINGS,
            _CHARACTERS,
            _NUMBERS,
            _NAMES,
            _SIGNS,
        )
    )
)
_HEADER: Final = re.compile(_HEADERS)
_MESSAGE: Final = re.compile(_MESSAGES)
_INCLUDES: Final = frozenset({"include", "include_next", "import"})
_MESSAGING: Final = frozenset({"error", "warning"})
_BLANK: Final = frozenset({TokenKind.SPACE, TokenKind.COMMENT})
_KINDS: Final = {kind.value: kind for kind in TokenKind}
_BY_FIRST: Final = (
    dict.fromkeys(" \t\r\n\f\v", TokenKind.SPACE)
    | dict.fromkeys("0123456789", TokenKind.NUMBER)
    | dict.fromkeys(
        set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") - set("uULR"),
        TokenKind.NAME,
    )
    | dict.fromkeys("!#$%&()*+,-:;<=>?@[]^`{|}~", TokenKind.PUNCTUATION)
    | {'"': TokenKind.STRING, "'": TokenKind.CHARACTER}
)
"""Kind of a token by its first character, where that tells."""
_AS_TOKEN: Final = partial(tuple.__new__, Token)


class _Directive:
    """Where in a preprocessor line the tokenizer stands."""

    def __init__(self) -> None:
        self.line_start = True
        self.expects: re.Pattern[str] | None = None
        self._hash = False
        self._queried = False

    def advance(self, kind: TokenKind, text: str) -> None:
        """Take notice of the next token."""
        if kind in _BLANK:
            if kind is TokenKind.SPACE and _ends_line(text):
                self.line_start, self.expects, self._hash, self._queried = (
                    True,
                    None,
                    False,
                    False,
                )
            return
        after_hash, queried = self._hash, self._queried
        self._hash = self.line_start and text == "#"
        self._queried = text in ("__has_include", "__has_include_next")
        self.line_start = False
        self.expects = None
        if (after_hash and text in _INCLUDES) or (queried and text == "("):
            self.expects = _HEADER
        elif after_hash and text in _MESSAGING:
            self.expects = _MESSAGE


def tokenize(text: str) -> Iterator[Token]:
    """Return the tokens of `text`; their texts join to `text`, whatever it holds."""
    pieces = _pieces(text)
    special = [at for at, piece in enumerate(pieces) if _is_special(piece)]
    if any(pieces[at][0] == "#" and not _begins_line(pieces, at) for at in special):
        return tokenize_sequentially(text)
    kinds = [_BY_FIRST.get(piece[0]) or _kind_of(piece) for piece in pieces]
    if special:
        pieces, kinds = _split(pieces, kinds, special)
    lines = accumulate(
        (piece.count("\n") if "\n" in piece else 0 for piece in pieces), initial=1
    )
    return map(_AS_TOKEN, zip(kinds, pieces, lines, strict=False))


def tokenize_sequentially(text: str) -> Iterator[Token]:
    """Yield the same tokens, each found by where in a preprocessor line it stands: slower, and
    right for any text.
    """
    directive = _Directive()
    position, line, length = 0, 1, len(text)
    while position < length:
        kind, end = _next(text, position, directive)
        piece = text[position:end]
        yield Token(kind, piece, line)
        directive.advance(kind, piece)
        line += piece.count("\n")
        position = end


def join_tokens(pieces: Iterable[Token]) -> str:
    """Return the text that the tokens were made from."""
    return "".join(token.text for token in pieces)


def drop_blanks_and_comments(pieces: Iterable[Token]) -> list[Token]:
    """Return the tokens that a compiler sees: no blanks, no comments."""
    return [token for token in pieces if token.kind not in _BLANK]


def _pieces(text: str) -> list[str]:
    """Return the texts of the tokens, each directive that holds a header or a message as one."""
    if 'R"' in text:
        return [found[0] for found in _PIECE_OR_RAW.finditer(text)]
    return _PIECE.findall(text)


def _is_special(piece: str) -> bool:
    first = piece[0]
    return (first == "#" and piece not in ("#", "##")) or (
        first == "_" and piece[-1] in '>"'
    )


def _begins_line(pieces: Sequence[str], at: int) -> bool:
    for before in range(at - 1, -1, -1):
        kind = _kind(pieces[before])
        if kind is TokenKind.SPACE and _ends_line(pieces[before]):
            return True
        if kind not in _BLANK:
            return False
    return True


def _split(
    pieces: Sequence[str], kinds: Sequence[TokenKind], special: Iterable[int]
) -> tuple[list[str], list[TokenKind]]:
    """Return the tokens' texts and kinds with each special piece as the tokens that it holds."""
    texts: list[str] = []
    whole: list[TokenKind] = []
    done = 0
    for at in special:
        inner = list(tokenize_sequentially(pieces[at]))
        texts += [*pieces[done:at], *(token.text for token in inner)]
        whole += [*kinds[done:at], *(token.kind for token in inner)]
        done = at + 1
    return [*texts, *pieces[done:]], [*whole, *kinds[done:]]


def _kind(piece: str) -> TokenKind:
    return _BY_FIRST.get(piece[0]) or _kind_of(piece)


def _kind_of(piece: str) -> TokenKind:
    found = _TOKEN.match(piece)
    assert found is not None
    assert found.lastgroup is not None
    return _KINDS[found.lastgroup]


def _next(text: str, position: int, directive: _Directive) -> tuple[TokenKind, int]:
    if directive.expects is not None:
        special = directive.expects.match(text, position)
        if special:
            return (
                TokenKind.HEADER if directive.expects is _HEADER else TokenKind.MESSAGE
            ), special.end()
    found = _TOKEN.match(text, position)
    assert found is not None
    assert found.lastgroup is not None
    return _KINDS[found.lastgroup], found.end()


def _ends_line(blank: str) -> bool:
    return "\n" in blank.replace("\\\r\n", "").replace("\\\n", "")
