"""Text patterns with wildcards, matched alike in SQL and in memory, in linear time."""

from __future__ import annotations

import string
from dataclasses import dataclass

_FOLD = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@dataclass(frozen=True, slots=True)
class Glob:
    """The pieces of text between wildcards: one piece is an exact text, and only exact texts
    mind upper case.
    """

    pieces: tuple[str, ...]

    @property
    def is_exact(self) -> bool:
        """Whether there is no wildcard."""
        return len(self.pieces) == 1

    @property
    def matches_anything(self) -> bool:
        """Whether it matches every text."""
        return len(self.pieces) > 1 and not any(self.pieces)

    def as_substring(self) -> Glob:
        """Return the glob that matches wherever this one matches a part."""
        return Glob(("", *self.pieces, ""))

    def like_pattern(self) -> str:
        """Return the pattern for SQL's LIKE, escaped by a backslash."""
        return "%".join(
            piece.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
            for piece in self.pieces
        )

    def matches(self, text: str) -> bool:
        """Tell whether `text` as a whole matches."""
        if self.is_exact:
            return text == self.pieces[0]
        first, *inner, last = (piece.translate(_FOLD) for piece in self.pieces)
        text = text.translate(_FOLD)
        if len(text) < len(first) + len(last) or not (
            text.startswith(first) and text.endswith(last)
        ):
            return False
        start, end = len(first), len(text) - len(last)
        for piece in inner:
            found = text.find(piece, start, end)
            if found < 0:
                return False
            start = found + len(piece)
        return True
