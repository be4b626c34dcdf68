"""Read the macros that a C++ file defines, as far as a call graph wants them."""

from __future__ import annotations

from typing import NamedTuple

from crawler.cpp.preprocessor.macros import DEFINITION
from crawler.extract.operators.used_names import UsedNames, collect_used_names


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
        for macro in DEFINITION.finditer(text)
    ]
