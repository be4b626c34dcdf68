"""Explain where a file's compile command comes from."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crawler.builds.checkout.include_graph import MAX_REACHED_FILES, IncludeGraph
from crawler.builds.database.borrowed_commands import borrow_command
from crawler.builds.database.compile_database import Survey
from crawler.builds.database.configurations import rank_command
from crawler.builds.database.file_command import make_no_entry_error
from crawler.errors import NotFound
from crawler.model import CompileCommand, FlagsOrigin

_WHY: Final = ("less trusted", "for the host alone", "for HIP", "fewer flags")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A command that a strategy told for a file, and what became of it."""

    strategy: str
    origin: FlagsOrigin
    flags: int
    outcome: str
    """`used`, `another configuration`, or `not used: ` and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A file's command, the files over which a header borrowed it, and every command that was
    told for its unit.
    """

    command: CompileCommand
    chain: tuple[str, ...]
    """From the unit that lends down to the file, each including the next; empty where nothing
    is borrowed.
    """
    candidates: tuple[Candidate, ...]


def explain_command(
    survey: Survey, path: str, *, strategies: Sequence[str] = ()
) -> Explanation:
    """Say where the command of a file is from. Raises `NotFound` (`no-file`) and `BadDatabase`
    (`no-entry`).

    A command that is made up counts as none where `strategies` names who is asked.
    """
    if path not in survey.graph.scans:
        message = f"there is no C, C++, CUDA or HIP file {path} below {survey.graph.tree.root}: check its name"
        raise NotFound(message, code="no-file")
    units = {
        command.file: command
        for command in survey.database.commands
        if not command.borrowed_from
    }
    command = next(
        (held for held in survey.database.commands if held.file == path), None
    )
    command = command or borrow_command(path, survey.graph, units)
    if strategies and command.origin is FlagsOrigin.SYNTHESISED:
        count = sum(one.origin is not FlagsOrigin.SYNTHESISED for one in units.values())
        raise make_no_entry_error(path, survey.graph, count, option="--strategy")
    lender = command.borrowed_from or command.file
    chain = tuple(_chain(survey.graph, lender, path)) if command.borrowed_from else ()
    return Explanation(
        command=command, chain=chain, candidates=tuple(_candidates(survey, lender))
    )


def _candidates(survey: Survey, unit: str) -> Iterator[Candidate]:
    used = next(
        (command for command in survey.database.commands if command.file == unit), None
    )
    others = [
        command for command in survey.database.alternatives if command.file == unit
    ]
    for answer in survey.outcomes:
        for command in answer.commands:
            if command.file == unit:
                yield Candidate(
                    strategy=answer.report.strategy,
                    origin=command.origin,
                    flags=len(command.arguments),
                    outcome=_outcome(command, used, others),
                )


def _outcome(
    command: CompileCommand,
    used: CompileCommand | None,
    others: Sequence[CompileCommand],
) -> str:
    if used is None or (command.arguments, command.strategy) == (
        used.arguments,
        used.strategy,
    ):
        return "used"
    if command in others:
        return "another configuration"
    if command.arguments == used.arguments:
        return "not used: the same"
    if rank_command(command) < rank_command(used):
        return "not used: more macros"
    worse = zip(_WHY, rank_command(command), rank_command(used), strict=True)
    return f"not used: {next((why for why, mine, best in worse if mine != best), 'told later')}"


def _chain(graph: IncludeGraph, start: str, target: str) -> Iterator[str]:
    """Yield the files of a shortest way from a unit to what it includes."""
    came_from, pending = {target: ""}, deque([target])
    while pending and start not in came_from and len(came_from) < MAX_REACHED_FILES:
        current = pending.popleft()
        for who in graph.includers.get(current, ()):
            if who not in came_from:
                came_from[who] = current
                pending.append(who)
    step = start if start in came_from else ""
    while step:
        yield step
        step = came_from[step]
