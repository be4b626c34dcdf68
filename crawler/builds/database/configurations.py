"""Choose which of a file's compile commands to keep, and which to parse beside the first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

from crawler.builds.checkout.include_graph import IncludeGraph
from crawler.builds.checkout.source_scan import get_suffix
from crawler.builds.database.borrowed_commands import TRUST_RANKS
from crawler.model import CompileCommand, Dialect, FlagsOrigin

MAX_CONFIGURATIONS: Final = 4
"""Configurations that are kept of one file."""
_MARK: Final = re.compile(
    rb"^[ \t]*#[ \t]*(?P<word>if|ifdef|ifndef|elif|elifdef|elifndef|else|endif|define)\b(?P<rest>(?:\\\r?\n|[^\n])*)"
    rb"|(?P<kernel>\b__global__\b|<<<)",
    re.MULTILINE,
)
_NAME: Final = re.compile(rb"[A-Za-z_]\w*")
_DEEPEST: Final = 16
_MOST_NAMES: Final = 64


def group_configurations(
    commands: Iterable[CompileCommand],
) -> dict[str, tuple[CompileCommand, ...]]:
    """Return each file's commands that differ in what a parse sees, the best first: at most
    four.

    Those that are made up count where there are no others.

    Better is what is more trusted; what a device compiler was given; CUDA for a `.cu`; what has
    the most flags; what
    was told first. But a device source that one build compiles with some macros and without
    them is what it is
    without: the other is a variant of it.
    """
    found: dict[str, dict[tuple[tuple[str, ...], Dialect | None], CompileCommand]] = (
        defaultdict(dict)
    )
    for command in commands:
        held = found[command.file].setdefault(
            (command.arguments, command.dialect), command
        )
        if rank_command(command) < rank_command(held):
            found[command.file][command.arguments, command.dialect] = command
    return {file: _kept(distinct.values()) for file, distinct in found.items()}


def rank_command(command: CompileCommand) -> tuple[int, bool, bool, int]:
    """Order the commands of one file; the lowest is used.

    A `.cu` that is built for both is CUDA: HIP comes of it by a port.
    """
    as_hip = command.dialect is Dialect.HIP and get_suffix(command.file) == "cu"
    return (
        TRUST_RANKS[command.origin],
        command.dialect is None,
        as_hip,
        -len(command.arguments),
    )


def select_extra_configurations(
    graph: IncludeGraph, file: str, configurations: Sequence[CompileCommand]
) -> list[CompileCommand]:
    """Return those behind the first that may show other kernels: an `#if` around one names a
    macro that differs.

    Made-up ones differ by what tells targets of one source apart: any `#if` of the source may
    choose what it uses.
    """
    if len(configurations) < 2:
        return []
    is_made_up = configurations[0].origin is FlagsOrigin.SYNTHESISED
    guards = _guards(graph, file) | (
        graph.scans[file].tested_macros if is_made_up else frozenset()
    )
    chosen = [configurations[0]]
    for command in configurations[1:]:
        if all(guards.intersection(_differing(command, one)) for one in chosen):
            chosen.append(command)
    return chosen[1:]


def _kept(commands: Iterable[CompileCommand]) -> tuple[CompileCommand, ...]:
    ordered = sorted(commands, key=rank_command)
    built = [
        command for command in ordered if command.origin is not FlagsOrigin.SYNTHESISED
    ]
    kept = built or ordered
    first = _plainest(kept)
    return (
        first,
        *[command for command in kept if command is not first][
            : MAX_CONFIGURATIONS - 1
        ],
    )


def _plainest(ordered: Sequence[CompileCommand]) -> CompileCommand:
    """Return the command of which the first is a variant: one build's, setting some of its
    macros and no others.

    A host's code is what shows most.
    """
    first = ordered[0]
    if first.dialect is None:
        return first
    plain = [command for command in ordered if _is_variant(first, command)]
    return min(
        plain, key=lambda command: len(_macros(command.arguments)), default=first
    )


def _is_variant(command: CompileCommand, of: CompileCommand) -> bool:
    same_build = (command.origin, command.strategy, command.dialect) == (
        of.origin,
        of.strategy,
        of.dialect,
    )
    return (
        same_build and _macros(of.arguments).keys() < _macros(command.arguments).keys()
    )


def _differing(one: CompileCommand, other: CompileCommand) -> set[str]:
    mine, others = _macros(one.arguments), _macros(other.arguments)
    return {
        name
        for name in mine.keys() | others.keys()
        if mine.get(name) != others.get(name)
    }


def _macros(arguments: Sequence[str]) -> Mapping[str, str]:
    words = (word for word in arguments if word.startswith(("-D", "-U")))
    return {re.split(r"[=(]", word[2:], maxsplit=1)[0]: word for word in words}


def _guards(graph: IncludeGraph, file: str) -> frozenset[str]:
    """Return the macros that decide over device code in what a unit reads, also by way of a
    macro that they define.
    """
    around: set[str] = set()
    defined: dict[str, set[str]] = defaultdict(set)
    for path in graph.list_reached_files(file):
        kernels, defines = _conditions(graph.tree.read_bytes(path))
        around |= kernels
        for name, names in defines:
            defined[name] |= names
    pending = list(around)
    while pending:
        new = defined.pop(pending.pop(), set()) - around
        around |= new
        pending.extend(new)
    return frozenset(around)


@lru_cache(maxsize=4096)
def _conditions(
    content: bytes,
) -> tuple[frozenset[str], tuple[tuple[str, frozenset[str]], ...]]:
    """Return the names in conditions around kernels and launches, and those around each
    `#define`.
    """
    if b"#" not in content:
        return frozenset(), ()
    conditions = _Conditions()
    for found in _MARK.finditer(content):
        word = found["word"]
        if found["kernel"]:
            conditions.kernel()
        elif word == b"endif":
            conditions.close()
        else:
            names = [
                name.decode()
                for name in islice(_NAME.findall(found["rest"]), _MOST_NAMES)
                if name != b"defined"
            ]
            conditions.directive(word, names)
    return frozenset(conditions.around), tuple(conditions.defines)


class _Conditions:
    """The conditions that are open at a place, each with the names in all its branches."""

    def __init__(self) -> None:
        self._open: list[set[str]] = []
        self._taken = 0
        self.around: set[str] = set()
        self.defines: list[tuple[str, frozenset[str]]] = []

    def directive(self, word: bytes, names: list[str]) -> None:
        if word == b"define":
            enclosing = frozenset[str]().union(*self._open[-_DEEPEST:])
            if names and enclosing:
                self.defines.append((names[0], enclosing))
        elif word.startswith(b"if"):
            self._open.append(set(names))
        elif self._open and len(self._open[-1]) < _MOST_NAMES:
            self._open[-1].update(names)
            if self._taken == len(self._open):
                self.around.update(names)

    def kernel(self) -> None:
        self.around.update(*self._open[self._taken :])
        self._taken = len(self._open)

    def close(self) -> None:
        del self._open[-1:]
        self._taken = min(self._taken, len(self._open))
