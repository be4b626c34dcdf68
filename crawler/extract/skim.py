"""What stands out of a file without cutting all of it into tokens: its directives, braces and semicolons.

A unit of a library of templates reads some hundred files, and takes declarations from few of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from crawler.extract.source import SourceText, remembered

DIRECTIVE: Final = "#"
_RAW: Final = (
    r"""(?:(?<=\WR")|(?<=\W[uUL]R")|(?<=\Wu8R"))(?P<delimiter>[^()\\\s"]{0,16})"""
    r"""\((?s:.*?)(?:\)(?P=delimiter)"|\Z)"""
)
_STRING: Final = r"""(?:[^"\\\n]|\\\r?\n|\\[^\r\n]|\\)*"?"""
_CHARACTER: Final = r"""(?:[^'\\\n]|\\\r?\n|\\[^\r\n]|\\)*'?"""
_BETWEEN_DIGITS: Final = r"(?<=[0-9a-fA-F]')(?<!\Wu8')(?=[0-9a-fA-F])"
_COMMENT: Final = r"/(?:/(?:[^\\\n]|\\\r?\n|\\)*|\*(?s:.*?)(?:\*/|\Z))"
_OPAQUE: Final = rf"""{_COMMENT}|"(?:{_RAW}|{_STRING})|'(?:{_BETWEEN_DIGITS}|{_CHARACTER})"""
"""What hides signs; each alternative begins with a character, by which the search goes fast."""
_SIGN: Final = re.compile(rf"{_OPAQUE}|[{{}};#]")
_LINE: Final = re.compile(rf"(?:{_OPAQUE}|\\\r?\n|[^\n])*")
_BEFORE: Final = re.compile(r"(?:\A|\n)(?:[ \t\r\f\v]|\\\r?\n|/\*(?:[^*\n]|\*(?!/))*\*/)*\Z")
_WIDTH: Final = 200


class Sign(NamedTuple):
    """A brace, a semicolon or a whole directive: what it is, where it begins, and the offset behind it."""

    text: str
    start: int
    end: int


@remembered
def signs(source: SourceText) -> tuple[Sign, ...]:
    """Return the signs of a file, in order; what a directive holds is none."""
    return tuple(_signs(source.raw))


@remembered
def directives(source: SourceText) -> tuple[tuple[int, int], ...]:
    """Return the range of each directive of a file."""
    return tuple((sign.start, sign.end) for sign in signs(source) if sign.text == DIRECTIVE)


def _signs(text: str) -> Iterator[Sign]:
    behind = 0
    for found in _SIGN.finditer(text):
        sign, start = found[0], found.start()
        if len(sign) > 1 or start < behind or sign in "/'\"":
            continue
        if sign != DIRECTIVE:
            yield Sign(sign, start, start + 1)
        elif _begins_line(text, start):
            line = _LINE.match(text, start)
            behind = line.end() if line else start + 1
            yield Sign(sign, start, behind)


def _begins_line(text: str, at: int) -> bool:
    first = max(0, at - _WIDTH)
    line = text.rfind("\n", first, at)
    if (line >= 0 or not first) and not text[line + 1 : at].strip():
        return not text[max(0, line - 2) : max(0, line)].rstrip("\r").endswith("\\")
    return bool(_BEFORE.search(text, first, at))
