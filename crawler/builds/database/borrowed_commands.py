"""Compile commands for headers, borrowed from a translation unit that includes them."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.commands.synthesis import synthesise_command
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_scan import DEVICE_SOURCE_SUFFIXES, get_suffix
from crawler.model import CompileCommand, FlagsOrigin

TRUST_RANKS: Final = {origin: rank for rank, origin in enumerate(FlagsOrigin)}


def borrow_command(
    path: str, graph: IncludeGraph, unit_commands: Mapping[str, CompileCommand]
) -> CompileCommand:
    """Return the command of the best unit that includes `path`, a synthesised one without such.

    `unit_commands` are those of translation units, by file.
    """
    borrowed_commands = list_borrowed_commands(path, graph, unit_commands)
    return (
        borrowed_commands[0] if borrowed_commands else synthesise_command(path, graph)
    )


def list_borrowed_commands(
    path: str, graph: IncludeGraph, unit_commands: Mapping[str, CompileCommand]
) -> list[CompileCommand]:
    """Return the commands of all units that include `path`, as it borrows them, the best first."""
    lenders = _rank_includers(path, graph, unit_commands)
    return [_lend_command(lender, path, graph) for lender in lenders]


def _lend_command(
    lender: CompileCommand, path: str, graph: IncludeGraph
) -> CompileCommand:
    # a made-up command does not become a trusted one by being lent
    origin = FlagsOrigin.BORROWED
    if lender.origin is FlagsOrigin.SYNTHESISED:
        origin = FlagsOrigin.SYNTHESISED

    return replace(
        lender,
        file=path,
        output="",
        dialect=lender.dialect or detect_dialect(path, graph),
        origin=origin,
        borrowed_from=lender.file,
    )


def find_best_includer(
    path: str, graph: IncludeGraph, unit_commands: Mapping[str, CompileCommand]
) -> CompileCommand | None:
    """Return the command of the best unit that includes `path`."""
    includers = _rank_includers(path, graph, unit_commands)
    return includers[0] if includers else None


def _rank_includers(
    path: str, graph: IncludeGraph, unit_commands: Mapping[str, CompileCommand]
) -> list[CompileCommand]:
    """Return the commands of the units that include `path`, the best first.

    Better is, in this order: compiled for a device, since a host compiler sees no device code;
    more trusted flags; fewer steps; the same folder; a `.cu` or `.hip` before a `.cpp`.
    """
    steps_by_unit = {
        file: steps
        for file, steps in graph.iter_including_files(path)
        if steps and file in unit_commands
    }

    folder = posixpath.dirname(path)

    def rank(file: str) -> tuple[bool, int, int, bool, bool, str]:
        command = unit_commands[file]

        return (
            command.dialect is None,
            TRUST_RANKS[command.origin],
            steps_by_unit[file],
            posixpath.dirname(file) != folder,
            get_suffix(file) not in DEVICE_SOURCE_SUFFIXES,
            file,
        )

    return [unit_commands[file] for file in sorted(steps_by_unit, key=rank)]
