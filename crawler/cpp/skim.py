"""A quick reading of raw text: its braces, semicolons and directives, no other tokens.

A translation unit that uses a template library reads some hundred files and takes declarations
from
few of them, so most files are only ever skimmed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

DIRECTIVE: Final = "#"
_RAW: Final = (
    r"""(?:(?<=\WR")|(?<=\W[uUL]R")|(?<=\Wu8R"))(?P<delimiter>[^()\\\s"]{0,16})"""
    r"""\((?s:.*?)(?:\)(?P=delimiter)"|\Z)"""
)
_STRING: Final = r"""(?:[^"\\\n]|\\\r?\n|\\[^\r\n]|\\)*"?"""
_CHARACTER: Final = r"""(?:[^'\\\n]|\\\r?\n|\\[^\r\n]|\\)*'?"""
_BETWEEN_DIGITS: Final = r"(?<=[0-9a-fA-F]')(?<!\Wu8')(?=[0-9a-fA-F])"
_COMMENT: Final = r"/(?:/(?:[^\\\n]|\\\r?\n|\\)*|\*(?s:.*?)(?:\*/|\Z))"
OPAQUE: Final = (
    rf"""{_COMMENT}|"(?:{_RAW}|{_STRING})|'(?:{_BETWEEN_DIGITS}|{_CHARACTER})"""
)
"""A pattern for what hides signs: comments, strings, characters.

Each alternative begins with a literal character, by which a search goes fast.
"""
_SIGN: Final = re.compile(rf"{OPAQUE}|[{{}};#]")
_LINE: Final = re.compile(rf"(?:{OPAQUE}|\\\r?\n|[^\n])*")
_BEFORE: Final = re.compile(
    r"(?:\A|\n)(?:[ \t\r\f\v]|\\\r?\n|/\*(?:[^*\n]|\*(?!/))*\*/)*\Z"
)
_WIDTH: Final = 200
"""Characters of indentation within which a line's beginning is looked for."""


class Sign(NamedTuple):
    """A brace, a semicolon or a whole directive; `end` is the offset behind it."""

    text: str
    start: int
    end: int


def signs(text: str) -> Iterator[Sign]:
    """Yield the signs of raw text in order; what a directive holds is none.

    Of `#define B {` followed by `int f() { g(); }` these are `#`, `{`, `;` and `}`.
    """
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
