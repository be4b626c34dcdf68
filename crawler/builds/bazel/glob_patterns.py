"""Match paths against the patterns of Bazel's `glob`."""

from __future__ import annotations

import fnmatch
import re
from functools import lru_cache
from typing import Final

_ANY_FOLDERS: Final = "**"


def matches_glob(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Match a path's parts, `**` standing for any number of folders.

    Walks the path once with the set of all positions that the pattern may be at, since
    backtracking takes exponential time for patterns such as `**/a/**/a/**/a`.
    """
    positions = _skip_any_folders({0}, pattern)
    for part in parts:
        next_positions: set[int] = set()
        for position in positions:
            if position == len(pattern):
                continue

            if pattern[position] == _ANY_FOLDERS:
                next_positions.add(position)
            elif _compile_segment(pattern[position]).fullmatch(part):
                next_positions.add(position + 1)

        positions = _skip_any_folders(next_positions, pattern)
        if not positions:
            return False

    return len(pattern) in positions


@lru_cache(maxsize=4096)
def _compile_segment(pattern: str) -> re.Pattern[str]:
    # Bazel knows no character classes: `[` stands for itself
    return re.compile(fnmatch.translate(pattern.replace("[", "[[]")))


def _skip_any_folders(positions: set[int], pattern: tuple[str, ...]) -> set[int]:
    """Add the positions behind each `**`, which may stand for no folder at all."""
    for position, segment in enumerate(pattern):
        if position in positions and segment == _ANY_FOLDERS:
            positions.add(position + 1)

    return positions
