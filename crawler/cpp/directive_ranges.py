"""Find directives, braces and semicolons of a file without tokenizing all of it.

A unit of a library of templates reads some hundred files, and takes declarations from few of
them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from crawler.cpp.source_text import SourceText, cache_per_source

DIRECTIVE_MARK: Final = "#"
_RAW: Final = (
    r"""(?:(?<=\WR")|(?<=\W[uUL]R")|(?<=\Wu8R"))(?P<delimiter>[^()\\\s"]{0,16})"""
    r"""\((?s:.*?)(?:\)(?P=delimiter)"|\Z)"""
)
_STRING: Final = r"""(?:[^"\\\n]|\\\r?\n|\\[^\r\n]|\\)*"?"""
_CHARACTER: Final = r"""(?:[^'\\\n]|\\\r?\n|\\[^\r\n]|\\)*'?"""
_BETWEEN_DIGITS: Final = r"(?<=[0-9a-fA-F]')(?<!\Wu8')(?=[0-9a-fA-F])"
_COMMENT: Final = r"/(?:/(?:[^\\\n]|\\\r?\n|\\)*|\*(?s:.*?)(?:\*/|\Z))"
_OPAQUE: Final = (
    rf"""{_COMMENT}|"(?:{_RAW}|{_STRING})|'(?:{_BETWEEN_DIGITS}|{_CHARACTER})"""
)
"""What hides signs; each alternative begins with a character, by which the search goes fast."""
_SIGN: Final = re.compile(rf"{_OPAQUE}|[{{}};#]")
_LINE: Final = re.compile(rf"(?:{_OPAQUE}|\\\r?\n|[^\n])*")
_BEFORE: Final = re.compile(
    r"(?:\A|\n)(?:[ \t\r\f\v]|\\\r?\n|/\*(?:[^*\n]|\*(?!/))*\*/)*\Z"
)
_WIDTH: Final = 200


class StructureMark(NamedTuple):
    """A brace, a semicolon or a whole directive: what it is, where it begins, and the offset
    behind it.
    """

    text: str
    start: int
    end: int


@cache_per_source
def find_structure_marks(source: SourceText) -> tuple[StructureMark, ...]:
    """Return the signs of a file, in order; what a directive holds is none."""
    return tuple(_signs(source.raw))


@cache_per_source
def find_directive_ranges(source: SourceText) -> tuple[tuple[int, int], ...]:
    """Return the range of each directive of a file."""
    return tuple(
        (sign.start, sign.end)
        for sign in find_structure_marks(source)
        if sign.text == DIRECTIVE_MARK
    )


def _signs(text: str) -> Iterator[StructureMark]:
    behind = 0
    for found in _SIGN.finditer(text):
        sign, start = found[0], found.start()
        if len(sign) > 1 or start < behind or sign in "/'\"":
            continue
        if sign != DIRECTIVE_MARK:
            yield StructureMark(sign, start, start + 1)
        elif _begins_line(text, start):
            line = _LINE.match(text, start)
            behind = line.end() if line else start + 1
            yield StructureMark(sign, start, behind)


def _begins_line(text: str, at: int) -> bool:
    first = max(0, at - _WIDTH)
    line = text.rfind("\n", first, at)
    if (line >= 0 or not first) and not text[line + 1 : at].strip():
        return not text[max(0, line - 2) : max(0, line)].rstrip("\r").endswith("\\")
    return bool(_BEFORE.search(text, first, at))
