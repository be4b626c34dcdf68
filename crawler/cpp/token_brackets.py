"""Match brackets and split at top-level commas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.arguments import split_code, split_tokens
from crawler.cpp.source_text import Lexeme, SourceText

CLOSING_OF: Final = {"(": ")", "[": "]", "{": "}"}
_LONGEST_LIST: Final = 2_000


def find_closing_bracket(source: SourceText, opening_index: int) -> int:
    """Return the position of the bracket that closes the one at `opening_index`, or -1."""
    return source.closing_brackets.get(opening_index, -1)


def split_argument_texts(
    source: SourceText, lexemes: Sequence[Lexeme]
) -> tuple[str, ...]:
    """Return the texts between top-level commas."""
    parts = split_argument_lexemes(lexemes)
    return tuple(
        source.text_between(part[0].offset, part[-1].end).strip()
        for part in parts
        if part
    )


def split_argument_lexemes(lexemes: Sequence[Lexeme]) -> list[list[Lexeme]]:
    """Return the tokens between top-level commas."""
    return split_tokens(lexemes, angles=True)


def split_at_top_level_commas(text: str) -> list[str]:
    """Return the parts of a text between commas outside of brackets."""
    return [part for part in split_code(text) if part]


def skip_angles_backwards(lexemes: Sequence[Lexeme], closing_index: int) -> int:
    """Return the position in front of the `<` that the `>` at `closing_index` closes."""
    depth, last = 0, max(0, closing_index - _LONGEST_LIST)
    while closing_index >= last:
        depth += (lexemes[closing_index].text == ">") - (
            lexemes[closing_index].text == "<"
        )
        closing_index -= 1
        if depth == 0:
            break
    return max(closing_index, 0)
