"""Parse the C++ expressions that host code computes sizes with."""

from __future__ import annotations

from typing import Final

from crawler.cpp.lexer import TokenKind, tokenize
from crawler.validate.evidence.expressions.expression_reader import (
    ExpressionReader,
    Word,
)
from crawler.validate.evidence.expressions.expression_tree import Expression
from crawler.validate.evidence.expressions.expression_words import ExpressionSyntaxError

MAX_TOKENS: Final = 600
"""Of one expression: what is longer computes no size."""
_TWO_CHARACTER_SIGNS: Final = frozenset(
    {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>"}
)


def parse_expression(text: str) -> Expression | None:
    """Return the tree of `text`, `None` for what is no such expression."""
    words: list[Word] = [
        (token.kind, token.text)
        for token in tokenize(text)
        if token.kind not in (TokenKind.SPACE, TokenKind.COMMENT)
    ]

    if not words or len(words) > MAX_TOKENS:
        return None

    reader = ExpressionReader(_join_signs(words))

    try:
        tree = reader.read_ternary()
    except (ExpressionSyntaxError, IndexError):
        return None

    return tree if reader.is_at_end else None


def _join_signs(words: list[Word]) -> list[Word]:
    """Join signs of two characters: the tokenizer gives them singly."""
    joined: list[Word] = []

    for kind, text in words:
        is_sign = kind is TokenKind.PUNCTUATION
        if joined and is_sign and joined[-1][0] is TokenKind.PUNCTUATION:
            sign = joined[-1][1] + text
            if sign in _TWO_CHARACTER_SIGNS:
                joined[-1] = (kind, sign)
                continue

        joined.append((kind, text))

    return joined
