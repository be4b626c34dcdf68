"""Run mutants against the cases of a suite: killed or survived."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Case, CaseKind
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.execution import Execution, Outcome
from crawler.validate.emulator.launch import KernelLaunch, ThreadOrder
from crawler.validate.emulator.program import Program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.strength.mutant_schemata import MutantProgram
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.comparison import find_mismatches

_PATIENCE: Final = 20
"""How many times as long as the kernel a mutant may take, beside the half second that any may."""
_TOGETHER: Final = 48 << 20
"""Bytes of the buffers of all launches of one run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationScore:
    """Mutants that some case told from the kernel, and those that none did.

    One that survives may be equivalent to the kernel: nobody can know in general, so it counts
    as survived.
    """

    killed: frozenset[int]
    survived: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trial:
    """A case in one order, and how the kernel itself did in it."""

    case: Case
    order: ThreadOrder
    kinds: frozenset[str]
    seconds: float


def score_mutants(
    mutants: MutantProgram,
    cases: Sequence[Case],
    blobs: Blobs,
    *,
    mutant_numbers: Iterable[int] | None = None,
    seconds: float = 30.0,
) -> MutationScore | None:
    """Run `mutants`, or those of `mutant_numbers`, against `cases`; whom no case comes to in
    time has survived.

    A case that the kernel itself, with no change made, does not give is left out; `None` where
    it gives none.
    """
    until = time.monotonic() + seconds
    wanted = set(mutants.changes if mutant_numbers is None else mutant_numbers)
    trials = _trials(mutants.program, cases, blobs)
    if not trials:
        return None
    alive = set(wanted)
    for trial in trials:
        if time.monotonic() > until:
            break
        alive -= set(
            _killed(mutants.program, trial, _concerned(trial, alive, mutants), blobs)
        )
    return MutationScore(killed=frozenset(wanted - alive), survived=frozenset(alive))


def _trials(program: Program, cases: Sequence[Case], blobs: Blobs) -> list[_Trial]:
    """Return each case in the orders in which the kernel itself is right: of others nothing can
    be told.
    """
    ordered = sorted(
        cases,
        key=lambda case: (
            case.kind is not CaseKind.ORDINARY,
            sum(b.size for b in case.buffers),
        ),
    )
    found = []
    for order in (ThreadOrder.FORWARD, ThreadOrder.REVERSE):
        launches = [build_case_launch(case, blobs, order=order) for case in ordered]
        for case, ended in zip(ordered, run_launches(program, launches), strict=True):
            if ended.outcome is Outcome.DONE and not any(
                find_mismatches(case, ended.buffers, blobs)
            ):
                kinds = frozenset(each.kind for each in ended.findings)
                found.append(
                    _Trial(
                        case=case,
                        order=order,
                        kinds=kinds,
                        seconds=ended.nanoseconds * 1e-9,
                    )
                )
    return found


def _concerned(trial: _Trial, alive: set[int], mutants: MutantProgram) -> list[int]:
    """Return the mutants that a trial may tell: only what orders threads shows in another order."""
    if trial.order is ThreadOrder.FORWARD:
        return sorted(alive)
    return sorted(
        number for number in alive if mutants.changes[number].kind == "barrier"
    )


def _killed(
    program: Program, trial: _Trial, numbers: Sequence[int], blobs: Blobs
) -> Iterator[int]:
    patience = min(10.0, 0.5 + _PATIENCE * trial.seconds)
    launch = build_case_launch(
        trial.case, blobs, order=trial.order, max_seconds=patience
    )
    together = max(1, _TOGETHER // (1 + sum(buffer.size for buffer in launch.buffers)))
    for at in range(0, len(numbers), together):
        batch = numbers[at : at + together]
        for number, ended in zip(
            batch, run_launches(program, _each(launch, batch)), strict=True
        ):
            if _is_told(trial, ended, blobs):
                yield number


def _each(launch: KernelLaunch, numbers: Sequence[int]) -> list[KernelLaunch]:
    return [replace(launch, mutant=number) for number in numbers]


def _is_told(trial: _Trial, ended: Execution, blobs: Blobs) -> bool:
    if ended.outcome is not Outcome.DONE or any(
        each.kind not in trial.kinds for each in ended.findings
    ):
        return True
    return any(find_mismatches(trial.case, ended.buffers, blobs))
