"""Which of many units with made-up flags tell best what a header's device code is used with."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Mapping
from itertools import islice
from typing import Final

from crawler.builds.reading.includes import IncludeGraph
from crawler.model import CompileCommand, FlagsOrigin

_ENOUGH: Final = 2
"""Units for a header, where none of them has any device code of its own or a build's flags."""
_FAR: Final = 1 << 30
_LOOKED_AT: Final = 40
_DECLARED: Final = re.compile(
    r"^(?:struct|class)\s+([A-Za-z_]\w*)\s*(?=[{:<]|final\b)|__global__[^;{}]{0,200}?\b([A-Za-z_]\w*)\s*\(",
    re.MULTILINE,
)
_WORD: Final = re.compile(r"[A-Za-z_]\w*")


class Telling:
    """The units of a tree, and the names in them."""

    def __init__(self, graph: IncludeGraph, units: Mapping[str, CompileCommand]) -> None:
        self._graph = graph
        self._units = units
        self._words: dict[str, frozenset[str]] = {}
        self._declarations: dict[str, frozenset[str]] = {}

    def units(self, path: str, chosen: Collection[str]) -> list[str]:
        """Return the units that are to be parsed for a header besides those `chosen`.

        Best are those near to it that name what it declares, or what a header above it does: that is what instantiates
        its templates. Else the nearest are enough, and a host source only where it is nearer than all that is for a
        device. A unit that lacks what it includes comes behind all others.
        """
        units = self._units
        steps = {file: count for file, count in self._graph.reached_from(path) if count and file in units}
        near = sorted(
            steps, key=lambda file: (self._lacks(file), steps[file], not units[file].dialect, *self._size(file))
        )
        known = [file for file in near if file in chosen]
        others = [file for file in near if file not in chosen and units[file].origin is FlagsOrigin.SYNTHESISED]
        told = sum(self.tells(file, path) for file in known[:_LOOKED_AT])
        found = [*islice((file for file in others[:_LOOKED_AT] if self.tells(file, path)), max(0, _ENOUGH - told))]
        if found or told:
            return found
        on_device = min((steps[file] for file in near if units[file].dialect), default=_FAR)
        fitting = [file for file in others if units[file].dialect or steps[file] < on_device]
        as_near = sum(steps[file] <= steps[fitting[0]] for file in known) if fitting else 0
        return fitting[: max(0, _ENOUGH - as_near)]

    def tells(self, unit: str, path: str) -> bool:
        """Tell whether a unit names what a header, or one above it, declares."""
        return self._names(unit, self._declared(path))

    def _lacks(self, path: str) -> bool:
        """Tell whether what a unit includes by itself is not there: that may hold all that it does."""
        return bool(self._graph.missing.get(path))

    def _size(self, path: str) -> tuple[int, str]:
        return len(self._graph.reach(path)), path

    def _declared(self, path: str) -> frozenset[str]:
        """Return the types and kernels that a header declares, and those of the headers that include it."""
        if path not in self._declarations:
            above = [file for file, count in self._graph.reached_from(path) if count <= 1 and file not in self._units]
            found = (match for file in above[:_LOOKED_AT] for match in _DECLARED.finditer(self._content(file)))
            self._declarations[path] = frozenset(match[1] or match[2] for match in found)
        return self._declarations[path]

    def _names(self, path: str, names: frozenset[str]) -> bool:
        """Tell whether a unit, or a header beside it that it includes, has one of some names."""
        if path not in self._words:
            included = {edge.target for edge in self._graph.edges.get(path, ())} - self._graph.device_files
            beside = (file for file in included if posixpath.dirname(file) == posixpath.dirname(path))
            words = (word for file in (path, *beside) for word in _WORD.findall(self._content(file)))
            self._words[path] = frozenset(words)
        return not names.isdisjoint(self._words[path])

    def _content(self, path: str) -> str:
        return self._graph.tree.content(path).decode("latin-1")
