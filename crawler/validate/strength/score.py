"""Mutants of a kernel run against the cases of its suite: one that no case tells from the kernel survives."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Case, CaseKind
from crawler.validate.blobs import Blobs
from crawler.validate.compare import mismatches
from crawler.validate.simt.cases import launch_of
from crawler.validate.simt.execution import Execution, Outcome
from crawler.validate.simt.launch import Launch, Order
from crawler.validate.simt.program import Program
from crawler.validate.simt.run import execute
from crawler.validate.strength.schemata import Mutants

_PATIENCE: Final = 20
"""How many times as long as the kernel a mutant may take, beside the half second that any may."""
_TOGETHER: Final = 48 << 20
"""Bytes of the buffers of all launches of one run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Mutants that some case told from the kernel, and those that none did.

    One that survives may be equivalent to the kernel: nobody can know in general, so it counts as survived.
    """

    killed: frozenset[int]
    survived: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trial:
    """A case in one order, and how the kernel itself did in it."""

    case: Case
    order: Order
    kinds: frozenset[str]
    seconds: float


def scored(
    mutants: Mutants,
    cases: Sequence[Case],
    blobs: Blobs,
    *,
    numbers: Iterable[int] | None = None,
    seconds: float = 30.0,
) -> Score | None:
    """Run `mutants`, or those of `numbers`, against `cases`; whom no case comes to in time has survived.

    A case that the kernel itself, with no change made, does not give is left out; `None` where it gives none.
    """
    until = time.monotonic() + seconds
    wanted = set(mutants.changes if numbers is None else numbers)
    trials = _trials(mutants.program, cases, blobs)
    if not trials:
        return None
    alive = set(wanted)
    for trial in trials:
        if time.monotonic() > until:
            break
        alive -= set(_killed(mutants.program, trial, _concerned(trial, alive, mutants), blobs))
    return Score(killed=frozenset(wanted - alive), survived=frozenset(alive))


def _trials(program: Program, cases: Sequence[Case], blobs: Blobs) -> list[_Trial]:
    """Return each case in the orders in which the kernel itself is right: of others nothing can be told."""
    ordered = sorted(cases, key=lambda case: (case.kind is not CaseKind.ORDINARY, sum(b.size for b in case.buffers)))
    found = []
    for order in (Order.FORWARD, Order.REVERSE):
        launches = [launch_of(case, blobs, order=order) for case in ordered]
        for case, ended in zip(ordered, execute(program, launches), strict=True):
            if ended.outcome is Outcome.DONE and not any(mismatches(case, ended.buffers, blobs)):
                kinds = frozenset(each.kind for each in ended.findings)
                found.append(_Trial(case=case, order=order, kinds=kinds, seconds=ended.nanoseconds * 1e-9))
    return found


def _concerned(trial: _Trial, alive: set[int], mutants: Mutants) -> list[int]:
    """Return the mutants that a trial may tell: only what orders threads shows in another order."""
    if trial.order is Order.FORWARD:
        return sorted(alive)
    return sorted(number for number in alive if mutants.changes[number].kind == "barrier")


def _killed(program: Program, trial: _Trial, numbers: Sequence[int], blobs: Blobs) -> Iterator[int]:
    patience = min(10.0, 0.5 + _PATIENCE * trial.seconds)
    launch = launch_of(trial.case, blobs, order=trial.order, seconds=patience)
    together = max(1, _TOGETHER // (1 + sum(buffer.size for buffer in launch.buffers)))
    for at in range(0, len(numbers), together):
        batch = numbers[at : at + together]
        for number, ended in zip(batch, execute(program, _each(launch, batch)), strict=True):
            if _is_told(trial, ended, blobs):
                yield number


def _each(launch: Launch, numbers: Sequence[int]) -> list[Launch]:
    return [replace(launch, mutant=number) for number in numbers]


def _is_told(trial: _Trial, ended: Execution, blobs: Blobs) -> bool:
    if ended.outcome is not Outcome.DONE or any(each.kind not in trial.kinds for each in ended.findings):
        return True
    return any(mismatches(trial.case, ended.buffers, blobs))
