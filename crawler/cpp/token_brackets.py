"""Match brackets and split at top-level commas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.cpp.lexer import TokenKind
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
    parts: list[list[Lexeme]] = [[]]
    depth = angles = 0
    for lexeme in lexemes:
        depth += (lexeme.text in CLOSING_OF) - (lexeme.text in (")", "]", "}"))
        if (
            depth == 0
            and lexeme.text == "<"
            and parts[-1]
            and parts[-1][-1].kind is TokenKind.NAME
        ):
            angles += 1
        elif depth == 0 and angles and lexeme.text == ">":
            angles -= 1
        if lexeme.text == "," and depth == 0 and angles == 0:
            parts.append([])
        else:
            parts[-1].append(lexeme)
    return parts


def split_at_top_level_commas(text: str) -> list[str]:
    """Return the parts of a text between commas outside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


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
