"""Identifiers in text."""

from __future__ import annotations

import re
from typing import Final

IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*")
"""An identifier or keyword; in raw text also words of comments, and the `f` of `1.f`."""
NAME: Final = re.compile(r"[^\W\d]\w*")
"""The same in letters of any script, as the lexer cuts it."""
WORD: Final = re.compile(r"\w+")
"""An identifier or a number without its point."""
QUALIFIED_NAME: Final = re.compile(r"[A-Za-z_]\w*(?:::\w+)*")
"""A name with the scopes in front of it, as a compiler prints it."""

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
