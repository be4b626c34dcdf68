"""Find the macro whose `#ifdef` encloses a whole source file."""

from __future__ import annotations

import re
from typing import Final

_COMMENT: Final = re.compile(r"//[^\n]*|/\*(?s:.*?)(?:\*/|\Z)")
_SPLICE: Final = re.compile(r"\\\r?\n")
_DIRECTIVE: Final = re.compile(r"\s*#\s*(\w*)\s*(.*)")
_DEFINED: Final = re.compile(r"defined\s*\(?\s*([A-Za-z]\w*)\s*\)?\s*|([A-Za-z]\w*)\s*")
_OPENING: Final = frozenset({"if", "ifdef", "ifndef"})
_OTHERS: Final = frozenset({"else", "elif", "elifdef", "elifndef"})


def find_enclosing_macro(content: bytes) -> str:
    """Return that macro; nothing where something stands elsewhere, or where only a compiler
    would define it.
    """
    found: set[str] = set()
    branches: list[str] = []
    for line in _SPLICE.sub(
        " ", _COMMENT.sub(" ", content.decode("latin-1"))
    ).splitlines():
        directive = _DIRECTIVE.match(line)
        if directive is None:
            if line.strip():
                found.add(branches[0] if branches else "")
        elif directive[1] in _OPENING:
            branches.append(_asked(directive[1], directive[2]))
        elif branches and directive[1] in _OTHERS:
            branches[-1] = ""
        elif branches and directive[1] == "endif":
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
