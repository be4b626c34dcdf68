"""Commands for what nobody compiles: a header takes that of the unit which includes it."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from crawler.builds.commands.dialect import dialect
from crawler.builds.reading.includes import IncludeGraph
from crawler.builds.reading.scan import DEVICE_SOURCES, suffix
from crawler.builds.synthesised import synthesise
from crawler.model import CompileCommand, FlagsOrigin

TRUST: Final = {origin: rank for rank, origin in enumerate(FlagsOrigin)}


def borrow(path: str, graph: IncludeGraph, commands: Mapping[str, CompileCommand]) -> CompileCommand:
    """Return the command of the best unit that includes `path`, else one made up; `commands` are those of units."""
    lender = best_includer(path, graph, commands)
    if lender is None:
        return synthesise(path, graph)
    made_up = lender.origin is FlagsOrigin.SYNTHESISED
    return replace(
        lender,
        file=path,
        output="",
        dialect=lender.dialect or dialect(path, graph),
        origin=FlagsOrigin.SYNTHESISED if made_up else FlagsOrigin.BORROWED,
        borrowed_from=lender.file,
    )


def best_includer(path: str, graph: IncludeGraph, commands: Mapping[str, CompileCommand]) -> CompileCommand | None:
    """Choose among the units that include `path`: a device compiler's, trusted flags, few steps, same folder.

    What is compiled for the host alone comes last, however near: it does not see device code. Then a `.cu` or `.hip`
    comes before a `.cpp`.
    """
    steps = {file: count for file, count in graph.reached_from(path) if count and file in commands}

    def rank(file: str) -> tuple[bool, int, int, bool, bool, str]:
        command = commands[file]
        elsewhere = posixpath.dirname(file) != posixpath.dirname(path)
        named = suffix(file) not in DEVICE_SOURCES
        return (command.dialect is None, TRUST[command.origin], steps[file], elsewhere, named, file)

    best = min(steps, key=rank, default=None)
    return commands[best] if best is not None else None
