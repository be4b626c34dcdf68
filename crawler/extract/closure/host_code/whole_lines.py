"""Widen what is left out of a class to whole lines, so that no blank ones stay in its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from crawler.cpp.files.source_text import SourceText

TextEdit = tuple[int, int, str]
"""(start, end, what stands there instead)."""
# text behind a member: the end of its line, and the blank lines before the next member
_LINE_END: Final = re.compile(r"[ \t\r]*\n(?:[ \t\r]*\n)*")
# a line above a member: a comment that says what the member does, and does not go on below
_COMMENT_LINE: Final = re.compile(r"[ \t]*//[^\n]*(?<!\\)\n")


def widen_to_lines(
    edits: Iterable[TextEdit], source: SourceText, first: int, last: int
) -> tuple[TextEdit, ...]:
    """Return the `edits` of a class that stands from `first` to `last`; all are in order.

    An edit that leaves something out takes its lines along where nothing else stands on them,
    and the comment right above.
    """
    widened: list[TextEdit] = []
    free_from = first
    for start, end, replacement in edits:
        if not replacement and end > start:
            start, end = _widen(source.raw, start, end, free_from, last)
        widened.append((start, end, replacement))
        free_from = max(free_from, end)

    return tuple(widened)


def _widen(
    text: str, start: int, end: int, free_from: int, last: int
) -> tuple[int, int]:
    line_start = text.rfind("\n", 0, start) + 1
    line_end = _LINE_END.match(text, end, last)
    if line_end is None or line_start < free_from or text[line_start:start].strip():
        return start, end

    # one line of a comment after the other
    while True:
        above = text.rfind("\n", 0, max(line_start - 1, 0)) + 1
        if above < free_from or not _COMMENT_LINE.fullmatch(text, above, line_start):
            return line_start, line_end.end()
        line_start = above
