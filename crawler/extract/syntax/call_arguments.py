"""Find the arguments of a call by its tokens, template arguments skipped."""

from __future__ import annotations

from typing import Final

from crawler.cpp.arguments import split_tokens
from crawler.cpp.files.source_text import Lexeme, SourceText

_MAX_TEMPLATE_TOKENS: Final = 400
_ANGLE_CHANGES: Final = {"<": 1, ">": -1, ">>>": -3}
OffsetRange = tuple[int, int]


def find_argument_ranges(
    source: SourceText, name_index: int
) -> tuple[OffsetRange, ...]:
    """Return the ranges of the arguments of a call, template arguments skipped."""
    lexemes = source.lexemes
    opening = name_index + 1

    # `launch<float>(kernel, x)`
    if opening < len(lexemes) and lexemes[opening].text == "<":
        opening = _skip_template_arguments(source, opening)

    if not 0 < opening < len(lexemes) or lexemes[opening].text != "(":
        return ()

    parts = split_list(source, opening)
    return tuple((part[0].offset, part[-1].end) for part in parts if part)


def split_list(source: SourceText, opening: int) -> list[list[Lexeme]]:
    """Return the tokens between the commas of the list that the token `opening` begins.

    A list that is never closed is empty.
    """
    first = opening + 1
    closing = max(first, source.find_closing_bracket(opening))
    return split_tokens(source.lexemes[first:closing], angles=True)


def _skip_template_arguments(source: SourceText, opening: int) -> int:
    """Return the position behind template arguments; -1 where they do not end."""
    last = min(len(source.lexemes), opening + _MAX_TEMPLATE_TOKENS)
    depth = 0

    for position in range(opening, last):
        text = source.lexemes[position].text
        depth += _ANGLE_CHANGES.get(text, 0)
        if depth <= 0:
            return position + 1
        if text in (";", "{"):
            break

    return -1
