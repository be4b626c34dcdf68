"""Explain where a file's compile command comes from."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.builds.database.borrowed_commands import borrow_command
from crawler.builds.database.compile_database import Survey
from crawler.builds.database.configurations import rank_command
from crawler.builds.database.file_command import make_no_entry_error
from crawler.checkout.include_graph import MAX_REACHED_FILES, IncludeGraph
from crawler.errors import NotFound
from crawler.model import CompileCommand, FlagsOrigin

_RANK_REASONS: Final = (
    "less trusted",
    "for the host alone",
    "for HIP",
    "fewer flags",
)
"""Why a command comes behind another, for each place of `rank_command`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A command that a strategy gave for a file, and what became of it."""

    strategy: str
    origin: FlagsOrigin
    flags: int
    outcome: str
    """`used`, `another configuration`, or `not used: ` and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A file's command, and every command that was found for its translation unit."""

    command: CompileCommand
    chain: tuple[str, ...]
    """From the unit that lends down to the file, each including the next; empty where nothing
    is borrowed.
    """
    candidates: tuple[Candidate, ...]


def explain_command(
    survey: Survey, path: str, *, strategies: Sequence[str] = ()
) -> Explanation:
    """Explain where the command of a file comes from.

    With `strategies`, only commands of build systems count. Raises `NotFound` (`no-file`) and
    `BadDatabase` (`no-entry`).
    """
    graph = survey.graph
    if path not in graph.scans:
        raise NotFound(
            f"there is no C, C++, CUDA or HIP file {path} below {graph.tree.root}: "
            "check its name",
            code="no-file",
        )

    units = {
        command.file: command
        for command in survey.database.commands
        if not command.borrowed_from
    }

    command = _find_database_command(survey, path)

    if command is None:
        command = borrow_command(path, graph, units)

    if strategies and command.origin is FlagsOrigin.SYNTHESISED:
        entry_count = sum(
            unit.origin is not FlagsOrigin.SYNTHESISED for unit in units.values()
        )
        raise make_no_entry_error(path, graph, entry_count, option="--strategy")

    # candidates are commands of the unit, of which a header has none
    lender = command.borrowed_from or command.file
    chain: tuple[str, ...] = ()

    if command.borrowed_from:
        chain = tuple(_iter_include_chain(graph, lender, path))

    return Explanation(
        command=command,
        chain=chain,
        candidates=tuple(_iter_candidates(survey, lender)),
    )


def _find_database_command(survey: Survey, path: str) -> CompileCommand | None:
    for command in survey.database.commands:
        if command.file == path:
            return command

    return None


def _iter_candidates(survey: Survey, unit: str) -> Iterator[Candidate]:
    used_command = _find_database_command(survey, unit)
    alternatives = [
        command for command in survey.database.alternatives if command.file == unit
    ]

    for outcome in survey.outcomes:
        for command in outcome.commands:
            if command.file != unit:
                continue

            yield Candidate(
                strategy=outcome.report.strategy,
                origin=command.origin,
                flags=len(command.arguments),
                outcome=_describe_use(command, used_command, alternatives),
            )


def _describe_use(
    command: CompileCommand,
    used_command: CompileCommand | None,
    alternatives: Sequence[CompileCommand],
) -> str:
    if used_command is None:
        return "used"

    has_same_arguments = command.arguments == used_command.arguments
    if has_same_arguments and command.strategy == used_command.strategy:
        return "used"
    if command in alternatives:
        return "another configuration"
    if has_same_arguments:
        return "not used: the same"

    rank = rank_command(command)
    used_rank = rank_command(used_command)
    if rank < used_rank:
        # the used one comes first because it sets fewer macros, whatever else it has
        return "not used: more macros"

    for reason, value, used_value in zip(_RANK_REASONS, rank, used_rank, strict=True):
        if value != used_value:
            return f"not used: {reason}"

    return "not used: listed later"


def _iter_include_chain(graph: IncludeGraph, unit: str, target: str) -> Iterator[str]:
    """Yield the files of a shortest chain of includes from a unit to a header."""
    included_files = {target: ""}
    pending = deque([target])

    while pending and unit not in included_files:
        if len(included_files) >= MAX_REACHED_FILES:
            break

        current = pending.popleft()
        for includer in graph.includers.get(current, ()):
            if includer not in included_files:
                included_files[includer] = current
                pending.append(includer)

    step = unit if unit in included_files else ""

    while step:
        yield step
        step = included_files[step]
