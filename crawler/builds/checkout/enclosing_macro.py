"""Find the macro whose `#ifdef` encloses a whole source file."""

from __future__ import annotations

import re
from typing import Final

from crawler.cpp.comments import without_comments
from crawler.cpp.directives import BRANCHING, CLOSING, OPENING

_SPLICE: Final = re.compile(r"\\\r?\n")
_DIRECTIVE: Final = re.compile(r"\s*#\s*(\w*)\s*(.*)")
_DEFINED: Final = re.compile(r"defined\s*\(?\s*([A-Za-z]\w*)\s*\)?\s*|([A-Za-z]\w*)\s*")


def find_enclosing_macro(content: bytes) -> str:
    """Return that macro; nothing where something stands elsewhere, or where only a compiler
    would define it.
    """
    found: set[str] = set()
    branches: list[str] = []
    for line in _SPLICE.sub(
        " ", without_comments(content.decode("latin-1"))
    ).splitlines():
        directive = _DIRECTIVE.match(line)
        if directive is None:
            if line.strip():
                found.add(branches[0] if branches else "")
        elif directive[1] in OPENING:
            branches.append(_asked(directive[1], directive[2]))
        elif branches and directive[1] in BRANCHING:
            branches[-1] = ""
        elif branches and directive[1] == CLOSING:
            branches.pop()
        if "" in found or len(found) > 1:
            return ""
    return next(iter(found), "")


def _asked(word: str, condition: str) -> str:
    """Return the macro that a condition asks for and nothing else."""
    named = _DEFINED.fullmatch(condition)
    if named is None or word == "ifndef":
        return ""
    return (named[2] if word == "ifdef" else named[1]) or ""
