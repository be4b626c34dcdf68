"""Launches whose chevrons a formatter has parted: `kernel << <grid, block >> > (x)`.

nvcc reads them as it reads `<<<` and `>>>`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.lexer import Token, TokenKind

_PARTS: Final = 4
"""Tokens of a parted chevron: two signs, blanks, a sign."""
_MAX_TOKENS: Final = 1000
"""Of a launch configuration."""


def join_spaced_chevrons(tokens: Sequence[Token]) -> list[Token]:
    """Return `tokens` with the parts of such chevrons joined; a line keeps its number."""
    joined = list(tokens)

    for position, token in enumerate(tokens):
        if token.text != "<" or not _is_parted(tokens, position):
            continue
        if _previous_word(tokens, position) == "operator":
            continue

        closing = _find_closing(tokens, position + _PARTS)
        if closing > 0:
            _join(joined, position)
            _join(joined, closing)

    return joined


def _is_parted(tokens: Sequence[Token], position: int) -> bool:
    """Tell whether two signs stand at `position`, and the third one behind blanks."""
    parts = tokens[position : position + _PARTS]
    if len(parts) < _PARTS or parts[2].kind is not TokenKind.SPACE:
        return False

    sign = parts[0].text
    return parts[1].text == sign and parts[3].text == sign


def _previous_word(tokens: Sequence[Token], position: int) -> str:
    for token in reversed(tokens[max(0, position - 2) : position]):
        if token.text.strip():
            return token.text

    return ""


def _find_closing(tokens: Sequence[Token], begin: int) -> int:
    """Return where the parted chevron stands that closes one, -1 where none does."""
    for position in range(begin, min(begin + _MAX_TOKENS, len(tokens))):
        text = tokens[position].text
        if text in (";", "{", "}", "<<<"):
            return -1
        if text == ">" and _is_parted(tokens, position):
            return position

    return -1


def _join(tokens: list[Token], begin: int) -> None:
    first, second, blanks, third = tokens[begin : begin + _PARTS]
    chevron = first.text + second.text + third.text
    tokens[begin] = Token(TokenKind.PUNCTUATION, chevron, first.line)
    tokens[begin + 1] = Token(TokenKind.SPACE, "", second.line)
    tokens[begin + 2] = Token(TokenKind.SPACE, "", blanks.line)
    tokens[begin + 3] = Token(TokenKind.SPACE, blanks.text, third.line)
