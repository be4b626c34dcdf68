"""Mutants of a kernel run against the cases of its suite: one that no case tells from the kernel survives."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Case, CaseKind, KernelUnit, Suite
from crawler.validate.blobs import Blobs
from crawler.validate.compare import mismatches
from crawler.validate.simt.cases import launch_of
from crawler.validate.simt.execution import Execution, Outcome
from crawler.validate.simt.launch import Launch, Order
from crawler.validate.simt.program import Program
from crawler.validate.simt.run import execute
from crawler.validate.strength.schemata import Mutants, built
from crawler.validate.strength.sites import Change, changes

MOST: Final = 80
"""Mutants that are tried of one unit."""
_PATIENCE: Final = 20
"""How many times as long as the kernel a mutant may take, beside the half second that any may."""
_TOGETHER: Final = 48 << 20
"""Bytes of the buffers of all launches of one run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Mutants that were tried, and those that some case told from the kernel.

    One that survives may be equivalent to the kernel: nobody can know in general, so it counts as survived.
    """

    tried: int = -1
    killed: int = -1
    survivors: tuple[Change, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trial:
    """A case in one order, and how the kernel itself did in it."""

    case: Case
    order: Order
    kinds: frozenset[str]
    seconds: float


def score(unit: KernelUnit, suite: Suite, blobs: Blobs, *, seconds: float = 30.0, most: int = MOST) -> Score:
    """Try at most `most` mutants of `unit` for about `seconds`; nothing is measured where it does not run as itself."""
    until = time.monotonic() + seconds
    mutants = built(unit, changes(unit.source), most)
    return scored(mutants, suite, blobs, seconds=max(1.0, until - time.monotonic())) if mutants else Score()


def scored(mutants: Mutants, suite: Suite, blobs: Blobs, *, seconds: float = 30.0) -> Score:
    """Run `mutants` against the cases; what time does not suffice for is not counted."""
    until = time.monotonic() + seconds
    trials = _trials(mutants.program, suite, blobs)
    if not trials:
        return Score()
    alive, settled = set(mutants.changes), set[int]()
    for trial in trials:
        if time.monotonic() > until:
            break
        alive -= set(_killed(mutants.program, trial, _concerned(trial, alive, mutants), blobs))
    else:
        settled = alive
    killed = len(mutants.changes) - len(alive)
    return Score(
        tried=killed + len(settled),
        killed=killed,
        survivors=tuple(mutants.changes[number] for number in sorted(settled)),
    )


def _trials(program: Program, suite: Suite, blobs: Blobs) -> list[_Trial]:
    """Return each case in the orders in which the kernel itself is right; none where it is not in the usual one."""
    cases = sorted(
        suite.cases, key=lambda case: (case.kind is not CaseKind.ORDINARY, sum(b.size for b in case.buffers))
    )
    found = []
    for order in (Order.FORWARD, Order.REVERSE):
        launches = [launch_of(case, blobs, order=order) for case in cases]
        for case, ended in zip(cases, execute(program, launches), strict=True):
            if ended.outcome is Outcome.DONE and not any(mismatches(case, ended.buffers, blobs)):
                kinds = frozenset(each.kind for each in ended.findings)
                found.append(_Trial(case=case, order=order, kinds=kinds, seconds=ended.nanoseconds * 1e-9))
            elif order is Order.FORWARD:
                return []
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
