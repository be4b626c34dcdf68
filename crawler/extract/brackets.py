"""Brackets and commas among the tokens of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from crawler.extract.source import Lexeme, SourceText
from crawler.tokens import Kind

OPENING: Final = {"(": ")", "[": "]", "{": "}"}
_LONGEST_LIST: Final = 2_000


def closing(source: SourceText, opening: int) -> int:
    """Return the position of the bracket that closes the one at `opening`, or -1."""
    return source.closings.get(opening, -1)


def split(source: SourceText, lexemes: Sequence[Lexeme]) -> tuple[str, ...]:
    """Return the texts between top-level commas."""
    parts = separated(lexemes)
    return tuple(source.text(part[0].offset, part[-1].end).strip() for part in parts if part)


def separated(lexemes: Sequence[Lexeme]) -> list[list[Lexeme]]:
    """Return the tokens between top-level commas."""
    parts: list[list[Lexeme]] = [[]]
    depth = angles = 0
    for lexeme in lexemes:
        depth += (lexeme.text in OPENING) - (lexeme.text in (")", "]", "}"))
        if depth == 0 and lexeme.text == "<" and parts[-1] and parts[-1][-1].kind is Kind.NAME:
            angles += 1
        elif depth == 0 and angles and lexeme.text == ">":
            angles -= 1
        if lexeme.text == "," and depth == 0 and angles == 0:
            parts.append([])
        else:
            parts[-1].append(lexeme)
    return parts


def top_level(text: str) -> list[str]:
    """Return the parts of a text between commas outside of brackets."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def before_angles(lexemes: Sequence[Lexeme], at: int) -> int:
    """Return the position in front of the `<` that the `>` at `at` closes."""
    depth, last = 0, max(0, at - _LONGEST_LIST)
    while at >= last:
        depth += (lexemes[at].text == ">") - (lexemes[at].text == "<")
        at -= 1
        if depth == 0:
            break
    return max(at, 0)
