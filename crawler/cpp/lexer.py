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
_RAW: Final = (
    r"""(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s"]{0,16})\((?s:.*?)"""
    r"""(?:\)(?P=delimiter)"|\Z)"""
)
_STRINGS: Final = r"""(?:u8|[uUL])?"(?:[^"\\\n]|\\\r?\n|\\[^\r\n]|\\)*"?"""
_CHARACTERS: Final = r"""(?:u8|[uUL])?'(?:[^'\\\n]|\\\r?\n|\\[^\r\n]|\\)*'?"""
_NUMBERS: Final = r"\.?[0-9](?:[eEpP][+-]|'?[0-9A-Za-z_.])*"
_NAMES: Final = r"[^\W\d]\w*"
_SIGNS: Final = r"<<<|>>>|::|->|\#\#|(?s:.)"
_HEADERS: Final = r'<[^>\n]{0,400}>|"[^"\n]{0,400}"'
_MESSAGES: Final = r"(?:[^\\\n]|\\\r?\n|\\)+"
GAPS: Final = rf"(?:{_SPACES}|{_COMMENTS})*+"
"""A pattern for what may stand between two tokens: nothing, blanks, line ends, comments."""
# within a line; possessive, since a directive is looked for wherever a `#` stands
LINE_GAPS: Final = r"(?:[ \t\r\f\v]|\\\r?\n|/\*[^*]*+\*++(?:[^/*][^*]*+\*++)*+/)*+"
HEADER_OR_MESSAGE_PATTERN: Final = (
    rf"\#{LINE_GAPS}(?:(?:include|include_next|import)(?!\w){LINE_GAPS}(?:{_HEADERS})|(?:error|warning)(?!\w)(?:{_MESSAGES}))"
    rf"|__has_include(?:_next)?(?!\w){LINE_GAPS}\({LINE_GAPS}(?:{_HEADERS})"
)
"""What holds a header or a message, in one piece.

It is the one place where `<` and `'` are not what they are elsewhere.
"""

# the lexer itself: which kind a token is by the group that matches
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
# a pattern of its own: most texts hold no raw string, and are cut faster without
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
# in their places alone, which `_DirectiveState` tells
_HEADER: Final = re.compile(_HEADERS)
_MESSAGE: Final = re.compile(_MESSAGES)
INCLUDE_DIRECTIVES: Final = frozenset({"include", "include_next", "import"})
_MESSAGE_DIRECTIVES: Final = frozenset({"error", "warning"})
_HEADER_QUERIES: Final = ("__has_include", "__has_include_next")
_BLANK_KINDS: Final = frozenset({TokenKind.SPACE, TokenKind.COMMENT})
_KIND_BY_GROUP: Final = {kind.value: kind for kind in TokenKind}
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
_KIND_BY_FIRST_CHARACTER: Final = (
    dict.fromkeys(" \t\r\n\f\v", TokenKind.SPACE)
    | dict.fromkeys("0123456789", TokenKind.NUMBER)
    # `u`, `U`, `L` and `R` may begin a string
    | dict.fromkeys(_LETTERS - set("uULR"), TokenKind.NAME)
    | dict.fromkeys("!#$%&()*+,-:;<=>?@[]^`{|}~", TokenKind.PUNCTUATION)
    | {'"': TokenKind.STRING, "'": TokenKind.CHARACTER}
)
"""Kind of a token by its first character, where that tells."""
# a named tuple's own constructor costs several times more
_make_token: Final = partial(tuple.__new__, Token)


class _DirectiveState:
    """Where in a preprocessor line the tokenizer stands."""

    def __init__(self) -> None:
        self.at_line_start = True
        self.expected_pattern: re.Pattern[str] | None = None
        """What the next token is, where that is a header or a message."""
        self._follows_hash = False
        self._follows_query = False

    def advance(self, kind: TokenKind, text: str) -> None:
        """Take notice of the next token."""
        if kind in _BLANK_KINDS:
            if kind is TokenKind.SPACE and ends_line(text):
                self.at_line_start = True
                self.expected_pattern = None
                self._follows_hash = False
                self._follows_query = False

            return

        follows_hash = self._follows_hash
        follows_query = self._follows_query
        self._follows_hash = self.at_line_start and text == "#"
        self._follows_query = text in _HEADER_QUERIES
        self.at_line_start = False

        self.expected_pattern = None
        is_include = follows_hash and text in INCLUDE_DIRECTIVES
        is_query = follows_query and text == "("

        if is_include or is_query:
            self.expected_pattern = _HEADER
        elif follows_hash and text in _MESSAGE_DIRECTIVES:
            self.expected_pattern = _MESSAGE


def tokenize(text: str) -> Iterator[Token]:
    """Return the tokens of `text`; their texts join to `text`, whatever it holds."""
    pieces = _split_pieces(text)
    special_indices = [
        index for index, piece in enumerate(pieces) if _is_special(piece)
    ]

    # a `#` with a header behind it that begins no line is no directive: only the exact tokenizer
    # knows what its `<` and `'` are
    for index in special_indices:
        if pieces[index][0] == "#" and not _begins_line(pieces, index):
            return tokenize_sequentially(text)

    kinds = [
        _KIND_BY_FIRST_CHARACTER.get(piece[0]) or _match_kind(piece) for piece in pieces
    ]
    if special_indices:
        pieces, kinds = _split_special(pieces, kinds, special_indices)

    line_counts = (piece.count("\n") if "\n" in piece else 0 for piece in pieces)
    lines = accumulate(line_counts, initial=1)

    return map(_make_token, zip(kinds, pieces, lines, strict=False))


def tokenize_sequentially(text: str) -> Iterator[Token]:
    """Yield the same tokens, each found by where in a preprocessor line it stands.

    Slower than `tokenize`, and right for any text.
    """
    state = _DirectiveState()
    position = 0
    line = 1
    length = len(text)

    while position < length:
        kind, end = _match_next(text, position, state)
        piece = text[position:end]
        yield Token(kind, piece, line)

        state.advance(kind, piece)
        line += piece.count("\n")
        position = end


def join_tokens(pieces: Iterable[Token]) -> str:
    """Return the text that the tokens were made from."""
    return "".join(token.text for token in pieces)


def drop_blanks_and_comments(pieces: Iterable[Token]) -> list[Token]:
    """Return the tokens that a compiler sees: no blanks, no comments."""
    return [token for token in pieces if token.kind not in _BLANK_KINDS]


def ends_line(space: str) -> bool:
    """Tell whether a blank token ends a line; a line end behind a backslash does not."""
    return "\n" in space.replace("\\\r\n", "").replace("\\\n", "")


def _split_pieces(text: str) -> list[str]:
    """Return the texts of the tokens, each directive that holds a header or a message as one."""
    if 'R"' in text:
        # this pattern has a group, so `findall` would return that alone
        return [match[0] for match in _PIECE_OR_RAW.finditer(text)]

    return _PIECE.findall(text)


def _is_special(piece: str) -> bool:
    """Tell whether a piece is a whole directive, or `__has_include(` with its header."""
    first = piece[0]
    is_directive = first == "#" and piece not in ("#", "##")
    return is_directive or (first == "_" and piece[-1] in '>"')


def _begins_line(pieces: Sequence[str], index: int) -> bool:
    for before in range(index - 1, -1, -1):
        piece = pieces[before]
        kind = _KIND_BY_FIRST_CHARACTER.get(piece[0]) or _match_kind(piece)
        if kind is TokenKind.SPACE and ends_line(piece):
            return True
        if kind not in _BLANK_KINDS:
            return False

    return True


def _split_special(
    pieces: Sequence[str], kinds: Sequence[TokenKind], special_indices: Iterable[int]
) -> tuple[list[str], list[TokenKind]]:
    """Return the tokens' texts and kinds with each special piece as the tokens that it holds."""
    split_texts: list[str] = []
    split_kinds: list[TokenKind] = []
    copied_end = 0

    for index in special_indices:
        tokens = list(tokenize_sequentially(pieces[index]))

        split_texts += pieces[copied_end:index]
        split_texts += [token.text for token in tokens]
        split_kinds += kinds[copied_end:index]
        split_kinds += [token.kind for token in tokens]
        copied_end = index + 1

    split_texts += pieces[copied_end:]
    split_kinds += kinds[copied_end:]

    return split_texts, split_kinds


def _match_kind(piece: str) -> TokenKind:
    match = _TOKEN.match(piece)
    assert match is not None
    assert match.lastgroup is not None

    return _KIND_BY_GROUP[match.lastgroup]


def _match_next(
    text: str, position: int, state: _DirectiveState
) -> tuple[TokenKind, int]:
    expected_pattern = state.expected_pattern
    if expected_pattern is not None:
        expected = expected_pattern.match(text, position)
        if expected:
            is_header = expected_pattern is _HEADER
            kind = TokenKind.HEADER if is_header else TokenKind.MESSAGE
            return kind, expected.end()

    match = _TOKEN.match(text, position)
    assert match is not None
    assert match.lastgroup is not None

    return _KIND_BY_GROUP[match.lastgroup], match.end()
