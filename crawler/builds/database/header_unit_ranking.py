"""Rank translation units likely to instantiate a header's kernels."""

from __future__ import annotations

import posixpath
import re
import sys
from bisect import bisect
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from crawler.builds.checkout.include_graph import IncludeGraph
from crawler.builds.database.guarded_values import (
    Enumerator,
    find_guarded_values,
    iter_type_aliases,
)
from crawler.cpp.comments import without_comments
from crawler.cpp.identifiers import IDENTIFIER
from crawler.model import CompileCommand, FlagsOrigin

_ENOUGH: Final = 2
"""Units for a header, where none of them has any device code of its own or a build's flags."""
_FAR: Final = 1 << 30
_LOOKED_AT: Final = 120
_ABOVE: Final = 400
_MOST_KERNELS: Final = 16
_DECLARED: Final = re.compile(
    r"^(?:struct|class)\s+([A-Za-z_]\w*)\s*(?=[{:<]|final\b)", re.MULTILINE
)
_KERNEL: Final = re.compile(
    r"__global__[^;{}]{0,300}?(?<=[\s*&>])(?!__)([A-Za-z_]\w*)\s*\("
)


@dataclass(frozen=True, slots=True)
class _Users:
    """What uses a kernel: one of the names, or one of the types together with one of the values."""

    names: frozenset[str]
    types: frozenset[str] = frozenset()
    values: frozenset[Enumerator] = frozenset()


class HeaderUnitRanking:
    """The units of a tree, and the names in them."""

    def __init__(
        self, graph: IncludeGraph, units: Mapping[str, CompileCommand]
    ) -> None:
        self._graph = graph
        self._units = units
        self._words: dict[str, frozenset[str]] = {}
        self._declarations: dict[str, frozenset[str]] = {}
        self._users: dict[str, tuple[tuple[str, _Users], ...]] = {}

    def select_units(self, header: str, chosen: Collection[str]) -> list[str]:
        """Return the units that are to be parsed for a header besides those `chosen`.

        Best are those near to it that name, for each of its kernels, what uses that by way of
        the headers between them:
        that is what instantiates its templates. Next those that name anything else that it, or
        a header above it,
        declares. Else the nearest are enough, and a host source only where it is nearer than
        all that is for a
        device. A unit that lacks what it includes comes behind all others.
        """
        units = self._units
        steps = {
            file: count
            for file, count in self._graph.iter_including_files(header)
            if count and file in units
        }
        near = sorted(
            steps,
            key=lambda file: (
                self._lacks(file),
                steps[file],
                not units[file].dialect,
                *self._size(file),
            ),
        )
        known = [file for file in near if file in chosen]
        others = [
            file
            for file in near
            if file not in chosen and units[file].origin is FlagsOrigin.SYNTHESISED
        ]
        found, told = self._naming(self._asked(header), known, others)
        if not found and not told:
            found, told = self._naming((_Users(self._declared(header)),), known, others)
        if found or told:
            return found
        on_device = min(
            (steps[file] for file in near if units[file].dialect), default=_FAR
        )
        fitting = [
            file for file in others if units[file].dialect or steps[file] < on_device
        ]
        as_near = (
            sum(steps[file] <= steps[fitting[0]] for file in known) if fitting else 0
        )
        return fitting[: max(0, _ENOUGH - as_near)]

    def is_relevant_unit(self, unit: str, header: str) -> bool:
        """Tell whether a unit names what uses a header's kernels, or else what it or a header
        above it declares.
        """
        return self.count_used_kernels(unit, header) > 0 or self._names(
            unit, _Users(self._declared(header))
        )

    def count_used_kernels(
        self, unit: str, header: str, kernel_names: Collection[str] = ()
    ) -> int:
        """Return of how many kernels of a header a unit names what uses them; what does for
        certain counts twice.

        Where `kernel_names` has any, of those alone.
        """
        return sum(
            self._names(unit, users) for users in self._asked(header, kernel_names)
        )

    def _naming(
        self, asked: Collection[_Users], known: Sequence[str], others: Sequence[str]
    ) -> tuple[list[str], int]:
        """Return which others are to be parsed so that all that is asked for is named, and how
        often it is already.

        Where that is one kernel, two units name it.
        """
        found: dict[str, None] = {}
        told = 0
        for users in asked:
            count = sum(self._names(file, users) for file in known[:_LOOKED_AT])
            wanted = (
                (_ENOUGH if len(asked) == 1 else 1)
                - count
                - sum(self._names(file, users) for file in found)
            )
            naming = (
                file
                for file in others[:_LOOKED_AT]
                if file not in found and self._names(file, users)
            )
            found.update(dict.fromkeys(islice(naming, max(0, wanted))))
            told += count
        return list(found), told

    def _lacks(self, path: str) -> bool:
        """Tell whether what a unit includes by itself is not there: that may hold all that it
        does.
        """
        return bool(self._graph.missing_includes.get(path))

    def _size(self, path: str) -> tuple[int, str]:
        return len(self._graph.list_reached_files(path)), path

    def _asked(self, path: str, among: Collection[str] = ()) -> tuple[_Users, ...]:
        """Return, for each kernel of a header, what uses it: as far as headers between it and
        the units say so.

        First comes what uses one for certain, where those do so for some values of a parameter
        alone. Where it has no
        kernel, its types are asked for in a kernel's place. What is `among` those asked for has
        its name at least.
        """
        if path not in self._users:
            content = self._content(path)
            kernels = _KERNEL.findall(content)
            begun = {
                kernel: {kernel, *_launching(kernel, content, kernels.count(kernel))}
                for kernel in islice(dict.fromkeys(kernels), _MOST_KERNELS)
            }
            types = set(_DECLARED.findall(content))
            users = {
                kernel: self._users_of(names, path)
                for kernel, names in (begun or {"": types}).items()
            }
            known = {
                kernel: names
                for kernel, names in users.items()
                if len(names) > bool(kernels)
            }
            certain = (
                (kernel, self._certain(kernel, names, path))
                for kernel, names in known.items()
                if kernel
            )
            sure = [(kernel, found) for kernel, found in certain if found]
            self._users[path] = (
                *sure,
                *((kernel, _Users(names)) for kernel, names in known.items()),
            )
        told = self._users[path]
        alone = sorted(set(among).difference(kernel for kernel, _ in told))
        asked = (users for kernel, users in told if not among or kernel in among)
        return tuple(
            dict.fromkeys((*asked, *(_Users(frozenset({kernel})) for kernel in alone)))
        )

    def _users_of(self, names: set[str], path: str) -> frozenset[str]:
        """Return names with those of the types in whose headers they stand, of those that name
        these, ….
        """
        for file in self._between(path):
            if not names.isdisjoint(self._words_of(file)):
                content = self._content(file)
                names.update(_DECLARED.findall(content))
                names.update(
                    name
                    for name, meant in iter_type_aliases(content)
                    if not names.isdisjoint(IDENTIFIER.findall(meant))
                )
        return frozenset(names)

    def _certain(self, kernel: str, names: frozenset[str], path: str) -> _Users | None:
        """Return what of its users names the values for which alone one of them uses a kernel;
        `None` where any do.
        """
        using = (
            file
            for file in (path, *self._between(path))
            if kernel in self._words_of(file)
        )
        values = next(
            (
                found
                for file in using
                if (found := find_guarded_values(self._content(file), kernel))
                is not None
            ),
            None,
        )
        if not values:
            return None
        naming: set[str] = set()
        for file in self._between(path):
            if not names.isdisjoint(self._words_of(file)) and _has(
                self._words_of(file), values
            ):
                for name, meant in iter_type_aliases(self._content(file)):
                    words = frozenset(IDENTIFIER.findall(meant))
                    if not names.isdisjoint(words) and _has(words, values):
                        naming.add(name)
        return _Users(frozenset(naming), names, values)

    def _between(self, path: str) -> list[str]:
        """Return the headers by way of which units include one, the nearest first."""
        above = islice(self._graph.iter_including_files(path), _ABOVE)
        return [file for file, steps in above if steps and file not in self._units]

    def _declared(self, path: str) -> frozenset[str]:
        """Return the types and kernels that a header declares, and those of the headers that
        include it.
        """
        if path not in self._declarations:
            above = [
                file
                for file, count in self._graph.iter_including_files(path)
                if count <= 1 and file not in self._units
            ]
            contents = [self._content(file) for file in above[:_LOOKED_AT]]
            found = (
                name
                for each in contents
                for pattern in (_DECLARED, _KERNEL)
                for name in pattern.findall(each)
            )
            self._declarations[path] = frozenset(found)
        return self._declarations[path]

    def _names(self, path: str, users: _Users) -> bool:
        """Tell whether a unit, or a header beside it that it includes, has what uses a kernel."""
        words = self._words_of(path)
        if not users.names.isdisjoint(words) or (
            _has(words, users.values) and not users.types.isdisjoint(words)
        ):
            return True
        included = {
            edge.target for edge in self._graph.edges.get(path, ())
        } - self._graph.device_files
        beside = (
            file
            for file in included
            if posixpath.dirname(file) == posixpath.dirname(path)
        )
        return any(not users.names.isdisjoint(self._words_of(file)) for file in beside)

    def _words_of(self, path: str) -> frozenset[str]:
        if path not in self._words:
            self._words[path] = frozenset(
                map(sys.intern, IDENTIFIER.findall(self._content(path)))
            )
        return self._words[path]

    def _content(self, path: str) -> str:
        return without_comments(self._graph.tree.read_bytes(path).decode("latin-1"))


def _launching(kernel: str, content: str, definitions: int) -> set[str]:
    """Return the types of a header which may launch its kernel: those that name it, or all
    where none does.
    """
    named = [match.start() for match in re.finditer(rf"\b{kernel}\b", content)]
    if len(named) <= definitions:
        return set()
    defined = {
        match.start(1) for match in _KERNEL.finditer(content) if match[1] == kernel
    }
    declared = [(match.start(), match[1]) for match in _DECLARED.finditer(content)]
    within = (bisect(declared, (at,)) - 1 for at in named if at not in defined)
    return {declared[place][1] for place in within if place >= 0} or {
        name for _, name in declared
    }


def _has(words: frozenset[str], values: Iterable[Enumerator]) -> bool:
    return any(enumeration in words and name in words for enumeration, name in values)
