"""Braces, semicolons and directives of a file, found without tokenizing all of it.

A translation unit that uses a template library reads some hundred files and takes declarations
from few of them, so most files are never cut into tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from crawler.cpp.comments import OPAQUE_PATTERN
from crawler.cpp.files.source_text import SourceText, cache_per_source

DIRECTIVE: Final = "#"
# steps over comments and literals by the same alternatives as the lexer
_MARK: Final = re.compile(rf"{OPAQUE_PATTERN}|[{{}};#]")
# a directive with the lines that a backslash, a comment or a string adds to it
_DIRECTIVE_LINES: Final = re.compile(rf"(?:{OPAQUE_PATTERN}|\\\r?\n|[^\n])*")
# backwards from a `#`, where no lexer can begin
_ONLY_BLANKS_BEFORE: Final = re.compile(
    r"(?:\A|\n)(?:[ \t\r\f\v]|\\\r?\n|/\*(?:[^*\n]|\*(?!/))*\*/)*\Z"
)
_WIDEST_INDENTATION: Final = 200
"""Characters of indentation within which a line's beginning is looked for."""


class StructureMark(NamedTuple):
    """A brace, a semicolon or a whole directive; `end` is the offset behind it."""

    text: str
    start: int
    end: int


def iter_structure_marks(text: str) -> Iterator[StructureMark]:
    """Yield the marks of raw text in order; what a directive holds is none.

    Of `#define B {` followed by `int f() { g(); }` these are `#`, `{`, `;` and `}`.
    """
    directive_end = 0
    for match in _MARK.finditer(text):
        mark = match[0]
        start = match.start()
        is_comment_or_literal = len(mark) > 1 or mark in "/'\""
        if is_comment_or_literal or start < directive_end:
            continue

        # a `#` within a line is no directive: `# define F(x) #x`
        if mark != DIRECTIVE:
            yield StructureMark(mark, start, start + 1)
        elif _begins_line(text, start):
            lines = _DIRECTIVE_LINES.match(text, start)
            directive_end = lines.end() if lines else start + 1
            yield StructureMark(mark, start, directive_end)


@cache_per_source
def find_structure_marks(source: SourceText) -> tuple[StructureMark, ...]:
    """Return the marks of a file, in order."""
    return tuple(iter_structure_marks(source.raw))


@cache_per_source
def find_directive_ranges(source: SourceText) -> tuple[tuple[int, int], ...]:
    """Return the start and end of each directive of a file, in order."""
    marks = find_structure_marks(source)
    return tuple((mark.start, mark.end) for mark in marks if mark.text == DIRECTIVE)


def _begins_line(text: str, offset: int) -> bool:
    """Tell whether only blanks and comments stand in front of an offset in its logical line."""
    first = max(0, offset - _WIDEST_INDENTATION)
    line_end = text.rfind("\n", first, offset)

    is_line_known = line_end >= 0 or not first

    if is_line_known and not text[line_end + 1 : offset].strip():
        # the usual case: an indented `#`; a backslash in front joins it to the line before
        before_line_end = text[max(0, line_end - 2) : max(0, line_end)]
        return not before_line_end.rstrip("\r").endswith("\\")

    return bool(_ONLY_BLANKS_BEFORE.search(text, first, offset))
