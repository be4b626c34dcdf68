"""Replacing parts of a text, and finding in the old text what stands at a place of the new one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from crawler.cpp.comments import blank

Edit = tuple[int, int, str]
"""Where the replaced part of a text begins and ends, and what stands there afterwards."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with what stands at each place replaced.

    Edits are in order and do not overlap. An edit that begins where it ends inserts:
    `apply_edits("ab", [(1, 1, "-")])` is `a-b`.
    """
    pieces: list[str] = []
    copied_end = 0

    for start, end, replacement in edits:
        pieces.append(text[copied_end:start])
        pieces.append(replacement)
        copied_end = end

    pieces.append(text[copied_end:])
    return "".join(pieces)


def blank_ranges(text: str, ranges: Iterable[tuple[int, int]]) -> str:
    """Return a text with blanks in place of ranges, its line ends kept.

    Of ranges that overlap the first counts.
    """
    return overwrite_ranges(text, [(start, end, "") for start, end in ranges])


def overwrite_ranges(text: str, edits: Iterable[Edit]) -> str:
    """Return a text of the same length in which each edit's range is replaced, and blanks fill it.

    Its line ends are kept, and of ranges that overlap the first counts. What stands in place of a
    range is no longer than it: `overwrite_ranges("f() {}", [(4, 6, ";")])` is `f() ; `.
    """
    pieces: list[str] = []
    done = 0
    for start, end, replacement in sorted(edits):
        if start < done:
            continue
        pieces.append(text[done:start])
        pieces.append(replacement)
        pieces.append(blank(text[start + len(replacement) : end]))
        done = end

    pieces.append(text[done:])
    return "".join(pieces)


class OriginalOffsets:
    """Maps offsets in an edited text to offsets in the text before the edits."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        self._edited_starts: list[int] = []

        growth = 0

        for start, end, replacement in edits:
            self._edited_starts.append(start + growth)
            growth += len(replacement) - (end - start)

    def original(self, offset: int) -> int:
        """Return the offset before the edits; for what an edit has written, where it begins."""
        index = bisect_right(self._edited_starts, offset) - 1
        if index < 0:
            return offset

        start, end, replacement = self._edits[index]
        # negative within what the edit has written
        offset_behind_edit = offset - self._edited_starts[index] - len(replacement)
        if offset_behind_edit < 0:
            return start

        return end + offset_behind_edit
