"""Match paths against the patterns of Bazel's `glob`."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator
from functools import lru_cache


@lru_cache(maxsize=4096)
def _segment(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern.replace("[", "[[]")))


def matches_glob(parts: tuple[str, ...], pattern: tuple[str, ...]) -> bool:
    """Match a path's parts, `**` standing for any number of folders, in one pass over a row of
    states.
    """
    states = _closed({0}, pattern)
    for part in parts:
        states = _closed(
            {after for state in states for after in _after(state, part, pattern)},
            pattern,
        )
        if not states:
            return False
    return len(pattern) in states


def _after(state: int, part: str, pattern: tuple[str, ...]) -> Iterator[int]:
    if state < len(pattern):
        if pattern[state] == "**":
            yield state
        elif _segment(pattern[state]).fullmatch(part):
            yield state + 1


def _closed(states: set[int], pattern: tuple[str, ...]) -> set[int]:
    for state in range(len(pattern)):
        if state in states and pattern[state] == "**":
            states.add(state + 1)
    return states
