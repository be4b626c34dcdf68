"""Where each line of a preprocessed text comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

# Rule: GCC, "Preprocessor Output"; flag 3 is a system header
_MARKER: Final = re.compile(
    r'^# (?P<line>\d+) "(?P<path>(?:[^"\\]|\\.)*)"(?P<flags>[ \d]*)$'
)
_SYSTEM_FLAG: Final = "3"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRegion:
    """Successive lines of a preprocessed text that come from one side: the project or a system."""

    text: str
    """With its markers."""
    places: tuple[tuple[str, int], ...]
    """(path, line) of each of its lines, both as the preprocessor names them."""
    is_system: bool
    """Whether it is of system headers, ours among them."""


def split_by_origin(preprocessed: str) -> Iterator[SourceRegion]:
    """Yield the regions of a preprocessed text in order; their texts join to it."""
    lines: list[str] = []
    places: list[tuple[str, int]] = []
    path = ""
    number = 0
    is_system = True

    for line in preprocessed.splitlines(keepends=True):
        marker = _MARKER.match(line.rstrip("\n"))
        if marker:
            begins_system = _SYSTEM_FLAG in marker["flags"].split()
            if begins_system != is_system and lines:
                yield _make_region(lines, places, is_system)
                lines, places = [], []

            is_system = begins_system
            path = marker["path"]
            number = int(marker["line"]) - 1

        lines.append(line)
        places.append((path, number))
        number += 1

    if lines:
        yield _make_region(lines, places, is_system)


def _make_region(
    lines: list[str], places: list[tuple[str, int]], is_system: bool
) -> SourceRegion:
    return SourceRegion(text="".join(lines), places=tuple(places), is_system=is_system)
