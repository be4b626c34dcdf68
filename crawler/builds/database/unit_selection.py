"""Select the translation units to parse so that all device code is seen, and split them into
batches.
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

from crawler.builds.checkout.include_graph import IncludeGraph
from crawler.builds.checkout.source_scan import SCRIPT_SUFFIXES, Include, get_suffix
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.database.borrowed_commands import borrow_command, find_best_includer
from crawler.builds.database.header_unit_ranking import HeaderUnitRanking
from crawler.model import CompileCommand, FlagsOrigin

MAX_BATCH_UNITS: Final = 32
MAX_SIMILAR_UNITS: Final = 8
"""Generated units of one folder that include the same of which so many are parsed."""
MAX_SIMILAR_KERNEL_UNITS: Final = 2
"""The same, of those that define kernels of their own: a generator writes one text under many
names.
"""
_SMALLEST_BATCH: Final = 8
_WORKERS: Final = 8


def select_units_to_parse(
    graph: IncludeGraph, units: Mapping[str, CompileCommand]
) -> dict[str, CompileCommand]:
    """Return the commands to parse: device units that reach device code, and for what is left
    the best unit.

    What only quotes kernels comes by itself; a script's command has no flags, since nobody
    compiles it.
    """
    own = {
        path: command
        for path, command in units.items()
        if _shows_own(path, command, graph)
    }
    likes = _likes(own, graph)
    chosen = {path: command for path, command in own.items() if path not in likes}
    told = HeaderUnitRanking(graph, units)
    for path in sorted(graph.device_files):
        for near in told.select_units(path, chosen):
            chosen[near] = replace(
                units[near], dialect=units[near].dialect or detect_dialect(path, graph)
            )
    shown = {
        file
        for path in chosen
        for file in graph.device_files.intersection(graph.list_reached_files(path))
    }
    unseen = set(graph.device_files - shown - likes)
    for path in sorted(unseen):
        if path in unseen:
            command = _unit_for(path, graph, units)
            chosen[command.file] = command
            unseen.difference_update(graph.list_reached_files(command.file))
    for path in sorted(graph.kernel_string_files - chosen.keys()):
        chosen[path] = (
            _script(path)
            if get_suffix(path) in SCRIPT_SUFFIXES
            else units.get(path) or borrow_command(path, graph, units)
        )
    return chosen


def _shows_own(path: str, command: CompileCommand, graph: IncludeGraph) -> bool:
    """Tell of a device unit that reaches device code, its own or with flags that a build was
    seen to use.

    What is left are mostly tests of headers: a library of templates carries hundreds, each of
    which parses all of it.
    """
    if command.dialect is None or graph.device_files.isdisjoint(
        graph.list_reached_files(path)
    ):
        return False
    return command.origin is not FlagsOrigin.SYNTHESISED or path in graph.device_files


def _likes(units: Collection[str], graph: IncludeGraph) -> set[str]:
    """Return most of the units that a build generates alike, by the thousand, from one
    template: they are left out.

    Alike are those of one folder that include the same; at most eight of them stay, evenly
    among them, and two where
    they define kernels.
    """
    alike: dict[tuple[str, frozenset[Include], int], list[str]] = {}
    for path in (file.path for file in graph.tree.generated if file.path in units):
        skimmed = graph.scans[path]
        most = MAX_SIMILAR_KERNEL_UNITS if skimmed.has_kernels else MAX_SIMILAR_UNITS
        alike.setdefault(
            (posixpath.dirname(path), frozenset(skimmed.includes), most), []
        ).append(path)
    stay = {
        path
        for (_, _, most), paths in alike.items()
        for path in paths[:: -(-len(paths) // most)]
    }
    return {path for paths in alike.values() for path in paths} - stay


def split_into_batches(positions: list[int]) -> tuple[tuple[int, ...], ...]:
    """Cut positions into batches: enough of them to share out, none over 32 units."""
    size = min(MAX_BATCH_UNITS, max(_SMALLEST_BATCH, -(-len(positions) // _WORKERS)))
    return tuple(
        tuple(positions[start : start + size])
        for start in range(0, len(positions), size)
    )


def _script(path: str) -> CompileCommand:
    return CompileCommand(
        directory=".",
        file=path,
        arguments=(),
        dialect=None,
        origin=FlagsOrigin.SYNTHESISED,
    )


def _unit_for(
    path: str, graph: IncludeGraph, units: Mapping[str, CompileCommand]
) -> CompileCommand:
    """A host source with or above device code is parsed in the dialect of that code; else the
    header by itself.
    """
    includer = units.get(path) or find_best_includer(path, graph, units)
    if includer is None:
        return borrow_command(path, graph, units)
    return replace(includer, dialect=includer.dialect or detect_dialect(path, graph))
