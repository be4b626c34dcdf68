"""Text patterns with wildcards, matched alike in SQL and in memory, in linear time."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import Final

# SQLite's LIKE ignores the case of ASCII letters only
_FOLD_CASE: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


@dataclass(frozen=True, slots=True)
class Glob:
    """The pieces of text between the wildcards of a pattern.

    One piece is an exact text; only exact texts distinguish upper and lower case.
    """

    pieces: tuple[str, ...]

    @property
    def is_exact(self) -> bool:
        """Whether there is no wildcard."""
        return len(self.pieces) == 1

    def as_substring(self) -> Glob:
        """Return the glob that matches every text of which this one matches a part."""
        return Glob(("", *self.pieces, ""))

    def like_pattern(self) -> str:
        """Return the pattern for SQL's LIKE, escaped by a backslash."""
        return "%".join(_escape_like(piece) for piece in self.pieces)

    def matches(self, text: str) -> bool:
        """Return whether `text` as a whole matches."""
        if self.is_exact:
            return text == self.pieces[0]

        pieces = [piece.translate(_FOLD_CASE) for piece in self.pieces]
        first, *inner, last = pieces
        folded = text.translate(_FOLD_CASE)
        # the ends may not overlap: `ab*ba` does not match `aba`
        if len(folded) < len(first) + len(last):
            return False

        if not folded.startswith(first):
            return False
        if not folded.endswith(last):
            return False

        # the leftmost place of each piece leaves the most room for the next ones
        start = len(first)
        end = len(folded) - len(last)

        for piece in inner:
            position = folded.find(piece, start, end)
            if position < 0:
                return False

            start = position + len(piece)

        return True


def _escape_like(piece: str) -> str:
    return piece.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
