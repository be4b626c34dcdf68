"""Identifiers in text."""

from __future__ import annotations

import re
from typing import Final

IDENTIFIER: Final = re.compile(r"[A-Za-z_]\w*")
"""An identifier or keyword; in raw text also words of comments, and the `f` of `1.f`."""


def is_word_character(character: str) -> bool:
    """Tell whether a character may stand in a name; the empty text may not."""
    return character.isalnum() or character == "_"
