"""Read what the comments within a kernel say of its steps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from crawler.cpp.comments import find_comments

_MAX_CHARACTERS: Final = 500
_MAX_STEP_CHARACTERS: Final = 200
_MIN_WORDS: Final = 3
# one comment of a stranger's code: what leads each of its lines
_LINE_LEAD: Final = re.compile(
    r"^[ \t]*(?://[/!<]*|/\*+[!<]*|\*(?!/)+)?[ \t]*", re.MULTILINE
)
# what is no prose: code that was commented out, a note to oneself, an order to a tool, a link
_NO_PROSE: Final = re.compile(
    r"[;{}\[\]\\]|[=!<>]=|\w\(|(?i:\b(?:todo|fixme|xxx|hack|nolint|clang-format|cppcheck)\b)|://|\?\s*$"
)


def describe_steps(source: str) -> str:
    """Return what the comments in the body of a kernel say, one after the other; empty where none
    is prose.
    """
    steps: list[str] = []
    length = 0
    for step in _iter_steps(source):
        length += len(step) + 2
        if length > _MAX_CHARACTERS:
            break
        if step not in steps:
            steps.append(step)

    return "; ".join(steps)


def _iter_steps(source: str) -> Iterator[str]:
    body_start = source.find("{")
    for comment in _iter_joined(source):
        start, text = comment
        if body_start < 0 or start < body_start:
            continue
        step = " ".join(_LINE_LEAD.sub("", text.removesuffix("*/")).split())
        step = step.strip(" -*=#~.:")
        is_prose = (
            len(step.split()) >= _MIN_WORDS
            and len(step) <= _MAX_STEP_CHARACTERS
            and step[:1].isalpha()
            and not _NO_PROSE.search(step)
        )
        if is_prose:
            yield step


def _iter_joined(source: str) -> Iterator[tuple[int, str]]:
    """Yield where each comment begins and its text; line comments on adjacent lines are one."""
    start, end = -1, -1
    for next_start, next_end in find_comments(source):
        between = source[end:next_start] if end >= 0 else ""
        is_own_line = not source[:next_start].rpartition("\n")[2].strip()
        is_joined = (
            end >= 0
            and is_own_line
            and between.count("\n") == 1
            and not between.strip()
            and source[start : start + 2] == source[next_start : next_start + 2] == "//"
        )
        if not is_joined:
            if end >= 0:
                yield start, source[start:end]
            start = next_start
        end = next_end

    if end >= 0:
        yield start, source[start:end]
