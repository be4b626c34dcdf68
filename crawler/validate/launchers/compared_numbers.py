"""Numbers and letters that a kernel compares with: contents made of them lead into its branches."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.cpp.lexer import TokenKind, drop_blanks_and_comments, tokenize

_MAX_COMPARED: Final = 16
_MAX_TEXT_LENGTH: Final = 200_000
"""A unit that is longer holds a library, whose numbers are not the kernel's."""
_MAX_NUMBER: Final = 1 << 31
_COMPARISONS: Final = ("==", "!=", "<=", ">=")
_SUFFIXES: Final = "uUlL"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedNumbers:
    """What a kernel holds its contents against."""

    values: tuple[int, ...] = ()
    are_letters: bool = False
    """Whether they are those of a text: `case 'A':`."""


def find_compared_numbers(text: str) -> ComparedNumbers:
    """Return the first few different letters that `text` compares with, else numbers."""
    if len(text) > _MAX_TEXT_LENGTH:
        return ComparedNumbers()

    compared = list(_iter_compared(text))
    letters = [value for kind, value in compared if kind is TokenKind.CHARACTER]
    values = letters or [value for _, value in compared]
    return ComparedNumbers(
        values=tuple(dict.fromkeys(values))[:_MAX_COMPARED], are_letters=bool(letters)
    )


def _iter_compared(text: str) -> Iterator[tuple[TokenKind, int]]:
    """Yield each letter or whole number beside a comparison or behind `case`, with its kind."""
    tokens = list(drop_blanks_and_comments(tokenize(text)))
    words = [token.text for token in tokens]
    for index, token in enumerate(tokens):
        if token.kind not in (TokenKind.NUMBER, TokenKind.CHARACTER):
            continue

        is_negative = index > 1 and words[index - 1] == "-"
        begin = index - 1 if is_negative else index
        if _ends_with_comparison(words, begin) or _begins_with_comparison(words, index):
            value = _read_value(token.kind, token.text)
            if value is not None:
                yield token.kind, -value if is_negative else value


def _ends_with_comparison(words: Sequence[str], end: int) -> bool:
    last = words[end - 1] if end else ""
    return last in ("case", "<", ">") or "".join(words[max(end - 2, 0) : end]) in (
        _COMPARISONS
    )


def _begins_with_comparison(words: Sequence[str], index: int) -> bool:
    signs = words[index + 1 : index + 3]
    return "".join(signs) in _COMPARISONS or signs[:1] in (["<"], [">"])


def _read_value(kind: TokenKind, text: str) -> int | None:
    """Return a literal's value; `None` where Python reads it otherwise than C++, or not at all."""
    try:
        if kind is TokenKind.NUMBER:
            number = int(text.rstrip(_SUFFIXES), 0)
            return number if number < _MAX_NUMBER else None

        letter = ast.literal_eval(text)
        return ord(letter) if isinstance(letter, str) and len(letter) == 1 else None
    except (ValueError, SyntaxError):
        return None
