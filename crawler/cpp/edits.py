"""Replacing parts of a text, and finding in the old text what stands at a place of the new one."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

Edit = tuple[int, int, str]
"""Where the replaced part of a text begins and ends, and what stands there afterwards."""


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return a text with what stands at each place replaced; edits are in order and do not
    overlap.

    An edit that begins where it ends inserts: `apply_edits("ab", [(1, 1, "-")])` is `a-b`.
    """
    pieces: list[str] = []
    done = 0
    for start, end, new in edits:
        pieces += (text[done:start], new)
        done = end
    return "".join([*pieces, text[done:]])


class OriginalOffsets:
    """Maps offsets in an edited text to offsets in the text before the edits."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = edits
        grown = accumulate(
            (len(new) - (end - start) for start, end, new in edits), initial=0
        )
        self._starts = [
            start + shift for (start, _, _), shift in zip(edits, grown, strict=False)
        ]

    def original(self, offset: int) -> int:
        """Return the offset before the edits; for what an edit has written, where it begins."""
        last = bisect_right(self._starts, offset) - 1
        if last < 0:
            return offset
        start, end, new = self._edits[last]
        behind = offset - self._starts[last] - len(new)
        return start if behind < 0 else end + behind
