"""Choose which of a file's compile commands to keep, and which to parse beside the first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from crawler.builds.database.borrowed_commands import TRUST_RANKS
from crawler.builds.database.condition_macros import find_macros_around_kernels
from crawler.checkout.include_graph import IncludeGraph
from crawler.checkout.source_scan import get_suffix
from crawler.model import CompileCommand, Dialect, FlagsOrigin

MAX_CONFIGURATIONS: Final = 4
"""Configurations that are kept of one file."""


def group_configurations(
    commands: Iterable[CompileCommand],
) -> dict[str, tuple[CompileCommand, ...]]:
    """Return each file's commands that differ in what a parse sees, at most four, best first.

    Better is, in this order: more trusted; given to a device compiler; CUDA for a `.cu`; more
    flags; found earlier. But of two commands of one build, where the second sets the macros of
    the first and more, the first is better. Synthesised commands count where there are no
    others.
    """
    commands_by_file: dict[
        str, dict[tuple[tuple[str, ...], Dialect | None], CompileCommand]
    ] = defaultdict(dict)
    for command in commands:
        distinct_commands = commands_by_file[command.file]
        key = (command.arguments, command.dialect)
        previous = distinct_commands.setdefault(key, command)

        if rank_command(command) < rank_command(previous):
            distinct_commands[key] = command

    return {
        file: _select_configurations(distinct_commands.values())
        for file, distinct_commands in commands_by_file.items()
    }


def rank_command(command: CompileCommand) -> tuple[int, bool, bool, int]:
    """Order the commands of one file; the lowest is used.

    A `.cu` that is built for both is CUDA: HIP comes of it by a port.
    """
    is_cu_as_hip = command.dialect is Dialect.HIP and get_suffix(command.file) == "cu"

    return (
        TRUST_RANKS[command.origin],
        command.dialect is None,
        is_cu_as_hip,
        -len(command.arguments),
    )


def select_extra_configurations(
    graph: IncludeGraph, file: str, configurations: Sequence[CompileCommand]
) -> list[CompileCommand]:
    """Return the configurations behind the first that may show other kernels.

    They do where an `#if` around a kernel names a macro that differs. Synthesised ones differ
    by what tells targets of one source apart: any `#if` of the source may choose what it uses.
    """
    if len(configurations) < 2:
        return []

    guard_macros = find_macros_around_kernels(graph, file)
    if configurations[0].origin is FlagsOrigin.SYNTHESISED:
        guard_macros |= graph.scans[file].tested_macros

    # one that differs from each before it in what decides over kernels
    chosen = [configurations[0]]
    for command in configurations[1:]:
        differs_from_all = all(
            guard_macros.intersection(_find_differing_macros(command, chosen_command))
            for chosen_command in chosen
        )
        if differs_from_all:
            chosen.append(command)

    return chosen[1:]


def _select_configurations(
    commands: Iterable[CompileCommand],
) -> tuple[CompileCommand, ...]:
    ranked = sorted(commands, key=rank_command)
    built = [
        command for command in ranked if command.origin is not FlagsOrigin.SYNTHESISED
    ]
    candidates = built or ranked
    first = _find_plainest(candidates)
    # by identity: equal commands are one already
    alternatives = [command for command in candidates if command is not first]

    return (first, *alternatives[: MAX_CONFIGURATIONS - 1])


def _find_plainest(ranked: Sequence[CompileCommand]) -> CompileCommand:
    """Return the command that the best ranked one is a variant of, else that one itself.

    Of host code it is the best ranked one in any case: what sets most macros shows most.
    """
    best = ranked[0]
    if best.dialect is None:
        return best

    plainer_commands = [command for command in ranked if _is_variant(best, command)]

    return min(
        plainer_commands,
        key=lambda command: len(_parse_macros(command.arguments)),
        default=best,
    )


def _is_variant(command: CompileCommand, base: CompileCommand) -> bool:
    """Tell whether a command is of the same build as `base`, and sets its macros and more."""
    if command.origin != base.origin or command.strategy != base.strategy:
        return False
    if command.dialect != base.dialect:
        return False

    macros = _parse_macros(command.arguments)

    return _parse_macros(base.arguments).keys() < macros.keys()


def _find_differing_macros(first: CompileCommand, second: CompileCommand) -> set[str]:
    first_macros = _parse_macros(first.arguments)
    second_macros = _parse_macros(second.arguments)

    return {
        name
        for name in first_macros.keys() | second_macros.keys()
        if first_macros.get(name) != second_macros.get(name)
    }


def _parse_macros(arguments: Sequence[str]) -> Mapping[str, str]:
    """Map macros to the flags that define or undefine them: `F` to `-DF(x)=x`."""
    macros = {}
    for word in arguments:
        if word.startswith(("-D", "-U")):
            # -DX, -DX=1 and -DX(a)=a define X
            name = re.split(r"[=(]", word[2:], maxsplit=1)[0]
            macros[name] = word

    return macros
