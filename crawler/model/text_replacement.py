"""A replacement of a range of text or of a sequence."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TextReplacement:
    """What stands in place of what is from `start` to `end`; between two where these are the
    same.
    """

    start: int
    end: int
    text: str
