"""Read the macros that a C++ file defines, as far as a call graph wants them."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from crawler.extract.operators.used_names import UsedNames, collect_used_names

# whole directives of files that nothing parses: comments are blank before
_MACRO: Final = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\\\r?\n|[^\n])*", re.MULTILINE
)


class MacroText(NamedTuple):
    """The definition of a macro."""

    start: int
    """Offset of its directive."""
    name: str
    names: UsedNames
    """Those in its text."""


def list_macro_texts(text: str) -> list[MacroText]:
    """Return the macros of a text without comments and literals, in its order."""
    return [
        MacroText(
            start=macro.start(),
            name=macro[1],
            names=collect_used_names(macro[0]),
        )
        for macro in _MACRO.finditer(text)
    ]
