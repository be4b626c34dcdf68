"""Find the macro whose `#ifdef` encloses a whole source file."""

from __future__ import annotations

import re
from typing import Final

from crawler.cpp.comments import without_comments
from crawler.cpp.directives import BRANCHING, CLOSING, LINE_SPLICE, OPENING

# Lines are matched by regular expressions because no macro is defined yet: libclang would drop
# the very branch that is looked for.
_DIRECTIVE: Final = re.compile(r"\s*#\s*(\w*)\s*(.*)")
_TESTED_MACRO: Final = re.compile(
    r"defined\s*\(?\s*([A-Za-z]\w*)\s*\)?\s*|([A-Za-z]\w*)\s*"
)


def find_enclosing_macro(content: bytes) -> str:
    """Return the macro that encloses all code of a file, empty where there is none.

    `#ifdef OPS` … `#endif` around everything but comments and directives gives `OPS`. Names
    that only compilers define, such as `__CUDACC__`, do not count.
    """
    enclosing_macros: set[str] = set()
    open_macros: list[str] = []
    text = without_comments(content.decode("latin-1"))

    # a condition may go on behind a backslash at the end of its line
    for line in LINE_SPLICE.sub(" ", text).splitlines():
        directive = _DIRECTIVE.match(line)
        if directive is not None:
            _update_open_macros(open_macros, directive[1], directive[2])
        # code: the outermost macro encloses it, or none does
        elif line.strip():
            enclosing_macros.add(open_macros[0] if open_macros else "")

        if "" in enclosing_macros or len(enclosing_macros) > 1:
            return ""

    return next(iter(enclosing_macros), "")


def _update_open_macros(open_macros: list[str], word: str, condition: str) -> None:
    if word in OPENING:
        open_macros.append(_extract_tested_macro(word, condition))
    elif not open_macros:
        return
    elif word in BRANCHING:
        # in an `#else` the macro is not defined
        open_macros[-1] = ""
    elif word == CLOSING:
        open_macros.pop()


def _extract_tested_macro(word: str, condition: str) -> str:
    """Return the macro that a condition tests, empty where it tests anything else too."""
    match = _TESTED_MACRO.fullmatch(condition)
    if match is None or word == "ifndef":
        return ""

    # `#ifdef OPS` names the macro by itself, `#if defined(OPS)` by way of `defined`
    macro = match[2] if word == "ifdef" else match[1]
    return macro or ""
