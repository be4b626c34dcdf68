"""Rank translation units likely to instantiate a header's kernels."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from typing import Final

from crawler.builds.database.kernel_users import (
    KernelUserFinder,
    KernelUsers,
    has_any_value,
)
from crawler.builds.database.source_words import SourceWords
from crawler.checkout.include_graph import IncludeGraph
from crawler.model import CompileCommand, FlagsOrigin

_ENOUGH_UNITS: Final = 2
"""Units for a header, where none of them has any device code of its own or a build's flags."""
_MAX_STEPS: Final = 1 << 30
_MAX_COMPARED_UNITS: Final = 120


class IncludingUnitRanking:
    """Ranks the units of a tree for each of its headers, by the names in them."""

    def __init__(
        self, graph: IncludeGraph, units: Mapping[str, CompileCommand]
    ) -> None:
        self._graph = graph
        self._units = units
        self._words = SourceWords(graph.tree)
        self._finder = KernelUserFinder(graph, units, self._words)

    def select_units(self, header: str, chosen: Collection[str]) -> list[str]:
        """Return the units that are to be parsed for a header besides those `chosen`.

        Best are near units that name, for each kernel of the header, what uses it by way of
        the headers between them: those instantiate its templates. Next come units that name
        anything else which the header, or one above it, declares. Else the nearest are enough,
        and a host source only where it is nearer than all that is for a device. A unit that
        lacks what it includes comes behind all others.
        """
        steps_by_unit = {
            file: steps
            for file, steps in self._graph.iter_including_files(header)
            if steps and file in self._units
        }

        ranked = self._rank_units(steps_by_unit)
        chosen_units = [file for file in ranked if file in chosen]
        candidates = [
            file
            for file in ranked
            if file not in chosen
            and self._units[file].origin is FlagsOrigin.SYNTHESISED
        ]

        users = self._finder.find_users(header)
        selected, use_count = self._select_naming(users, chosen_units, candidates)

        if not selected and not use_count:
            declared_names = KernelUsers(self._finder.list_declared_names(header))
            selected, use_count = self._select_naming(
                (declared_names,), chosen_units, candidates
            )

        # units name what uses the header, so there is no need to guess
        if selected or use_count:
            return selected

        return self._select_nearest(ranked, steps_by_unit, chosen_units, candidates)

    def is_relevant_unit(self, unit: str, header: str) -> bool:
        """Tell whether a unit names what uses a header's kernels.

        Else it must name what the header, or one above it, declares.
        """
        if self.count_used_kernels(unit, header) > 0:
            return True

        declared_names = KernelUsers(self._finder.list_declared_names(header))

        return self._names_any(unit, declared_names)

    def count_used_kernels(
        self, unit: str, header: str, kernel_names: Collection[str] = ()
    ) -> int:
        """Return of how many kernels of a header a unit names what uses them.

        Uses for some values of a parameter alone count twice. With `kernel_names` only those
        kernels count.
        """
        users = self._finder.find_users(header, kernel_names)
        return sum(self._names_any(unit, kernel_users) for kernel_users in users)

    def _rank_units(self, steps_by_unit: Mapping[str, int]) -> list[str]:
        def rank(file: str) -> tuple[bool, int, bool, int, str]:
            # what a unit includes and is not there may hold all that the unit does
            lacks_includes = bool(self._graph.missing_includes.get(file))

            return (
                lacks_includes,
                steps_by_unit[file],
                not self._units[file].dialect,
                len(self._graph.list_reached_files(file)),
                file,
            )

        return sorted(steps_by_unit, key=rank)

    def _select_naming(
        self,
        users: Collection[KernelUsers],
        chosen_units: Sequence[str],
        candidates: Sequence[str],
    ) -> tuple[list[str], int]:
        """Return candidates so that each of `users` is named, and how often they are already.

        Where `users` is one alone, two units are to name it.
        """
        selected: dict[str, None] = {}
        use_count = 0
        needed_count = _ENOUGH_UNITS if len(users) == 1 else 1
        compared_units = chosen_units[:_MAX_COMPARED_UNITS]

        for kernel_users in users:
            count = self._count_naming(compared_units, kernel_users)
            missing_count = (
                needed_count - count - self._count_naming(selected, kernel_users)
            )
            naming_candidates = (
                file
                for file in candidates[:_MAX_COMPARED_UNITS]
                if file not in selected and self._names_any(file, kernel_users)
            )

            new_units = list(islice(naming_candidates, max(0, missing_count)))
            selected.update(dict.fromkeys(new_units))
            use_count += count

        return list(selected), use_count

    def _select_nearest(
        self,
        ranked: Sequence[str],
        steps_by_unit: Mapping[str, int],
        chosen_units: Sequence[str],
        candidates: Sequence[str],
    ) -> list[str]:
        """Return as many of the nearest candidates as make two with those chosen."""
        device_steps = [
            steps_by_unit[file] for file in ranked if self._units[file].dialect
        ]
        nearest_device_steps = min(device_steps, default=_MAX_STEPS)
        fitting = [
            file
            for file in candidates
            if self._units[file].dialect or steps_by_unit[file] < nearest_device_steps
        ]

        if not fitting:
            return []

        # chosen units that are no farther do as well
        nearest_steps = steps_by_unit[fitting[0]]
        as_near_count = sum(
            steps_by_unit[file] <= nearest_steps for file in chosen_units
        )

        return fitting[: max(0, _ENOUGH_UNITS - as_near_count)]

    def _count_naming(self, units: Collection[str], users: KernelUsers) -> int:
        return sum(self._names_any(file, users) for file in units)

    def _names_any(self, unit: str, users: KernelUsers) -> bool:
        """Tell whether a unit, or a header beside it that it includes, names what uses a kernel."""
        words = self._words.list_words(unit)
        if not users.names.isdisjoint(words):
            return True
        if has_any_value(words, users.values) and not users.types.isdisjoint(words):
            return True

        # e.g. `conv_instances.inc`, which many units of one folder include
        folder = posixpath.dirname(unit)
        included_files = {edge.target for edge in self._graph.edges.get(unit, ())}

        for file in included_files - self._graph.device_files:
            if posixpath.dirname(file) != folder:
                continue
            if not users.names.isdisjoint(self._words.list_words(file)):
                return True

        return False
