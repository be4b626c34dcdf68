"""Macros that a build defines for its sources, for those that it leaves out.

A source that no build compiles, as one of an option that is off, is written for the same
configuration as those beside it: without `-DPRECISION=2` its headers declare nothing.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import takewhile

from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_scan import get_suffix
from crawler.model import CompileCommand, FlagsOrigin


def adopt_neighbours_macros(
    unit_commands: Mapping[str, CompileCommand], graph: IncludeGraph
) -> dict[str, CompileCommand]:
    """Return the commands, those made up with macros of the nearest source that a build compiles.

    Only such macros are taken as the file or what it includes asks for, and none that its own
    command decides.
    """
    build_commands = [
        command
        for command in unit_commands.values()
        if command.origin is not FlagsOrigin.SYNTHESISED and command.dialect is not None
    ]
    return {
        path: _adopt_macros(command, build_commands, graph)
        if command.origin is FlagsOrigin.SYNTHESISED and command.dialect is not None
        else command
        for path, command in unit_commands.items()
    }


def _adopt_macros(
    command: CompileCommand,
    build_commands: list[CompileCommand],
    graph: IncludeGraph,
) -> CompileCommand:
    neighbour = _find_neighbour(command.file, build_commands)
    if neighbour is None:
        return command

    tested_macros: set[str] = set()
    for file in graph.list_reached_files(command.file):
        if file in graph.scans:
            tested_macros.update(graph.scans[file].tested_macros)

    own_names = {_get_name(define) for define in _iter_defines(command)}
    defines = [
        define
        for define in _iter_defines(neighbour)
        if _get_name(define) in tested_macros - own_names
    ]
    if not defines:
        return command

    # what they choose is of the compiler that they are given to
    return replace(
        command,
        arguments=(*command.arguments, *defines),
        dialect=neighbour.dialect,
    )


def _find_neighbour(
    path: str, build_commands: list[CompileCommand]
) -> CompileCommand | None:
    """Return the command of the source of the same kind that shares most folders with `path`."""
    folders = posixpath.dirname(path).split("/")

    def rank(command: CompileCommand) -> tuple[int, int, str]:
        others = posixpath.dirname(command.file).split("/")
        shared = len(list(takewhile(_are_equal, zip(folders, others, strict=False))))
        return -shared, len(others), command.file

    same_kind = [
        command
        for command in build_commands
        if get_suffix(command.file) == get_suffix(path)
        and command.file.split("/")[0] == path.split("/")[0]
    ]
    return min(same_kind, key=rank, default=None)


def _are_equal(pair: tuple[str, str]) -> bool:
    return pair[0] == pair[1]


def _iter_defines(command: CompileCommand) -> Iterator[str]:
    return (
        word for word in command.arguments if word.startswith("-D") and word != "-D"
    )


def _get_name(define: str) -> str:
    return define.removeprefix("-D").partition("=")[0]
