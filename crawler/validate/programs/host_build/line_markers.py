"""Where each line of a preprocessed text comes from."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter
from typing import Final

# Rule: GCC, "Preprocessor Output"; flag 3 is a system header
_MARKER: Final = re.compile(
    r'^# (?P<line>\d+) "(?P<path>(?:[^"\\\n]|\\.)*)"(?P<flags>[ \d]*)$', re.MULTILINE
)
_SYSTEM_FLAG: Final = "3"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRegion:
    """Successive lines of a preprocessed text that come from one side: the project or a system."""

    text: str
    """With its markers."""
    is_system: bool
    """Whether it is of system headers, ours among them."""
    origins: tuple[tuple[int, str, int], ...]
    """(line of the region, path, line of that file) where what follows comes from elsewhere; lines
    are counted from 1. Empty for system headers.
    """

    def find_place(self, line: int) -> tuple[str, int]:
        """Return (path, line) of a line of the region, as the preprocessor names them."""
        index = bisect_right(self.origins, line, key=itemgetter(0)) - 1
        if index < 0:
            return "", line

        first, path, number = self.origins[index]
        return path, number + line - first


def split_by_origin(preprocessed: str) -> Iterator[SourceRegion]:
    """Yield the regions of a preprocessed text in order; their texts join to it."""
    begin = 0
    is_system = True

    for marker in _MARKER.finditer(preprocessed):
        begins_system = _SYSTEM_FLAG in marker["flags"].split()
        if begins_system != is_system and marker.start() > begin:
            yield _make_region(preprocessed[begin : marker.start()], is_system)
            begin = marker.start()

        is_system = begins_system

    if begin < len(preprocessed):
        yield _make_region(preprocessed[begin:], is_system)


def split_by_file(preprocessed: str) -> Iterator[str]:
    """Yield the parts of a preprocessed text that come from one file each; they join to it."""
    begin = 0
    path = ""

    for marker in _MARKER.finditer(preprocessed):
        if marker["path"] != path and marker.start() > begin:
            yield preprocessed[begin : marker.start()]
            begin = marker.start()

        path = marker["path"]

    if begin < len(preprocessed):
        yield preprocessed[begin:]


def list_files(preprocessed: str) -> tuple[str, ...]:
    """Return the files that a preprocessed text comes from, as the preprocessor names them."""
    paths = (marker["path"] for marker in _MARKER.finditer(preprocessed))
    return tuple(dict.fromkeys(paths))


def _make_region(text: str, is_system: bool) -> SourceRegion:
    origins = () if is_system else tuple(_iter_origins(text))
    return SourceRegion(text=text, is_system=is_system, origins=origins)


def _iter_origins(text: str) -> Iterator[tuple[int, str, int]]:
    line = 1
    end = 0

    for marker in _MARKER.finditer(text):
        line += text.count("\n", end, marker.end())
        end = marker.end()
        # the line behind the marker is the one that it names
        yield line + 1, marker["path"], int(marker["line"])


def join_own_text(preprocessed: str) -> str:
    """Return what a project itself has in a preprocessed source."""
    regions = split_by_origin(preprocessed)
    return "".join(region.text for region in regions if not region.is_system)
