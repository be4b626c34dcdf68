"""Compile commands for headers, borrowed from a translation unit that includes them."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from crawler.builds.checkout.include_graph import IncludeGraph
from crawler.builds.checkout.source_scan import DEVICE_SOURCE_SUFFIXES, get_suffix
from crawler.builds.commands.dialect_detection import detect_dialect
from crawler.builds.commands.synthesis import synthesise_command
from crawler.model import CompileCommand, FlagsOrigin

TRUST_RANKS: Final = {origin: rank for rank, origin in enumerate(FlagsOrigin)}


def borrow_command(
    path: str, graph: IncludeGraph, commands: Mapping[str, CompileCommand]
) -> CompileCommand:
    """Return the command of the best unit that includes `path`, else one made up; `commands`
    are those of units.
    """
    lender = find_best_includer(path, graph, commands)
    if lender is None:
        return synthesise_command(path, graph)
    made_up = lender.origin is FlagsOrigin.SYNTHESISED
    return replace(
        lender,
        file=path,
        output="",
        dialect=lender.dialect or detect_dialect(path, graph),
        origin=FlagsOrigin.SYNTHESISED if made_up else FlagsOrigin.BORROWED,
        borrowed_from=lender.file,
    )


def find_best_includer(
    path: str, graph: IncludeGraph, commands: Mapping[str, CompileCommand]
) -> CompileCommand | None:
    """Choose among the units that include `path`: a device compiler's, trusted flags, few
    steps, same folder.

    What is compiled for the host alone comes last, however near: it does not see device code.
    Then a `.cu` or `.hip`
    comes before a `.cpp`.
    """
    steps = {
        file: count
        for file, count in graph.iter_including_files(path)
        if count and file in commands
    }

    def rank(file: str) -> tuple[bool, int, int, bool, bool, str]:
        command = commands[file]
        elsewhere = posixpath.dirname(file) != posixpath.dirname(path)
        named = get_suffix(file) not in DEVICE_SOURCE_SUFFIXES
        return (
            command.dialect is None,
            TRUST_RANKS[command.origin],
            steps[file],
            elsewhere,
            named,
            file,
        )

    best = min(steps, key=rank, default=None)
    return commands[best] if best is not None else None
