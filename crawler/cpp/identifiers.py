"""Identifiers in text."""

from __future__ import annotations

import re
from typing import Final

IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*")
"""An identifier or keyword; in raw text also words of comments, and the `f` of `1.f`."""

KEYWORDS_BEFORE_GLOBAL_SCOPE: Final = frozenset(
    {
        "return",
        "case",
        "else",
        "typename",
        "const",
        "throw",
        "new",
        "goto",
        "operator",
        "template",
        "constexpr",
    }
)
"""In front of `::` these are no qualifiers: `return ::f()`."""


def is_word_character(character: str) -> bool:
    """Tell whether a character may stand in a name; the empty text may not."""
    return character.isalnum() or character == "_"
