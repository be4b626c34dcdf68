"""Select the translation units to parse so that all device code is seen."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.database.borrowed_commands import borrow_command, find_best_includer
from crawler.builds.database.including_unit_ranking import IncludingUnitRanking
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_scan import (
    HOST_SOURCE_SUFFIXES,
    SCRIPT_SUFFIXES,
    Include,
    get_suffix,
)
from crawler.model import CompileCommand, FlagsOrigin

MAX_SIMILAR_UNITS: Final = 8
"""Generated units of one folder with the same includes, of which so many are parsed."""
MAX_SIMILAR_KERNEL_UNITS: Final = 2
"""The same, of those that define kernels of their own: a generator writes one text under many
names.
"""
MAX_HOST_UNITS: Final = 16
"""Host sources without device code of their own that a build compiles for a device, of which so
many are parsed where they reach the same headers with device code: a library that compiles all
its sources so has hundreds.
"""


class _Similarity(NamedTuple):
    """What generated units that are alike have in common."""

    folder: str
    includes: frozenset[Include]
    has_kernels: bool


def select_units_to_parse(
    graph: IncludeGraph, units: Mapping[str, CompileCommand]
) -> dict[str, CompileCommand]:
    """Return the commands to parse so that each file with device code is seen in one at least.

    `units` are the commands of translation units. Files that only quote kernels are parsed by
    themselves; a script's command has no flags, since nobody compiles it.
    """
    device_units = [
        path
        for path, command in units.items()
        if _shows_device_code(path, command, graph)
    ]

    repetitive_units = _find_repetitive_units(device_units, graph)
    repetitive_units |= _find_repetitive_host_units(device_units, graph)
    selected = {
        path: units[path] for path in device_units if path not in repetitive_units
    }

    _add_including_units(selected, graph, units)
    _add_unseen_files(selected, graph, units, repetitive_units)
    _add_kernel_strings(selected, graph, units)

    return selected


def _shows_device_code(path: str, command: CompileCommand, graph: IncludeGraph) -> bool:
    """Tell whether a unit for a device reaches device code and is worth a parse by itself.

    A unit without device code of its own is only if a build was seen to compile it: most are
    tests of headers, and a library of templates carries hundreds.
    """
    if command.dialect is None:
        return False
    if graph.device_files.isdisjoint(graph.list_reached_files(path)):
        return False

    return command.origin is not FlagsOrigin.SYNTHESISED or path in graph.device_files


def _find_repetitive_units(units: Collection[str], graph: IncludeGraph) -> set[str]:
    """Return the generated units to leave out because enough of their like are parsed.

    Alike are those of one folder with the same includes, e.g. one instantiation of an
    attention kernel each. At most eight of them stay, evenly among them, and two where they
    define kernels.
    """
    similar_units: dict[_Similarity, list[str]] = defaultdict(list)
    unit_paths = set(units)

    for file in graph.tree.generated:
        path = file.path
        if path not in unit_paths:
            continue

        scan = graph.scans[path]
        similarity = _Similarity(
            folder=posixpath.dirname(path),
            includes=frozenset(scan.includes),
            has_kernels=scan.has_kernels,
        )

        similar_units[similarity].append(path)

    repetitive_units: set[str] = set()
    for similarity, paths in similar_units.items():
        limit = MAX_SIMILAR_UNITS
        if similarity.has_kernels:
            limit = MAX_SIMILAR_KERNEL_UNITS

        step = _divide_up(len(paths), limit)
        parsed_paths = paths[::step]
        repetitive_units.update(paths)
        repetitive_units.difference_update(parsed_paths)

    return repetitive_units


def _find_repetitive_host_units(
    units: Collection[str], graph: IncludeGraph
) -> set[str]:
    """Return the host sources to leave out because enough are parsed that see the same device
    code: they instantiate it for types of their own at most.
    """
    units_by_headers: dict[frozenset[str], list[str]] = defaultdict(list)
    for path in units:
        is_host_source = get_suffix(path) in HOST_SOURCE_SUFFIXES
        if is_host_source and path not in graph.device_files:
            headers = graph.device_files.intersection(graph.list_reached_files(path))
            units_by_headers[headers].append(path)

    repetitive_units: set[str] = set()
    for paths in units_by_headers.values():
        step = _divide_up(len(paths), MAX_HOST_UNITS)
        repetitive_units.update(set(paths).difference(paths[::step]))

    return repetitive_units


def _add_including_units(
    selected: dict[str, CompileCommand],
    graph: IncludeGraph,
    units: Mapping[str, CompileCommand],
) -> None:
    """Add the units that instantiate kernels of headers."""
    ranking = IncludingUnitRanking(graph, units)
    for path in sorted(graph.device_files):
        for unit in ranking.select_units(path, selected):
            # a host source is parsed for the device, or it would not see the header's kernels
            command = units[unit]
            dialect = command.dialect or detect_dialect(path, graph)

            selected[unit] = replace(command, dialect=dialect)


def _add_unseen_files(
    selected: dict[str, CompileCommand],
    graph: IncludeGraph,
    units: Mapping[str, CompileCommand],
    repetitive_units: Collection[str],
) -> None:
    """Add a command for each file with device code that no selected unit includes."""
    unseen = set(graph.device_files)
    # they have device code of their own, which is known from their like
    unseen.difference_update(repetitive_units)

    for path in selected:
        unseen.difference_update(graph.list_reached_files(path))

    for path in sorted(unseen):
        if path not in unseen:
            continue

        command = _make_device_command(path, graph, units)
        selected[command.file] = command
        unseen.difference_update(graph.list_reached_files(command.file))


def _add_kernel_strings(
    selected: dict[str, CompileCommand],
    graph: IncludeGraph,
    units: Mapping[str, CompileCommand],
) -> None:
    """Add the files whose string literals hold kernels."""
    missing_files = graph.kernel_string_files - selected.keys()

    for path in sorted(missing_files):
        if get_suffix(path) in SCRIPT_SUFFIXES:
            selected[path] = _make_script_command(path)
            continue

        command = units.get(path)
        if command is None:
            command = borrow_command(path, graph, units)

        selected[path] = command


def _make_script_command(path: str) -> CompileCommand:
    return CompileCommand(
        directory=".",
        file=path,
        arguments=(),
        dialect=None,
        origin=FlagsOrigin.SYNTHESISED,
    )


def _make_device_command(
    path: str, graph: IncludeGraph, units: Mapping[str, CompileCommand]
) -> CompileCommand:
    """Return a command that parses a file's device code.

    That is the command of the file or of its best includer, with the dialect of the device
    code where it is a host's, else a borrowed one for the header by itself.
    """
    command = units.get(path) or find_best_includer(path, graph, units)
    if command is None:
        return borrow_command(path, graph, units)

    return replace(command, dialect=command.dialect or detect_dialect(path, graph))


def _divide_up(count: int, divisor: int) -> int:
    return -(-count // divisor)
