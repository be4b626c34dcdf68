"""Run mutants against the cases of a suite: killed or survived."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crawler.model import Case, CaseKind
from crawler.validate.emulator.case_launch import build_case_launch
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import ThreadOrder
from crawler.validate.emulator.program import Program
from crawler.validate.emulator.run_program import run_launches
from crawler.validate.strength.mutant_schemata import MutantProgram
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.comparison import find_mismatches

_SLOWDOWN: Final = 20
"""How many times as long as the kernel a mutant may take, beside the half second that any may."""
_BASE_SECONDS: Final = 0.5
_MAX_SECONDS: Final = 10.0
_BATCH_BYTES: Final = 48 << 20
"""Bytes of the buffers of all launches of one run."""
_ORDER_KIND: Final = "barrier"
"""The changes that another order of threads may show where the usual one does not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationScore:
    """Mutants that some case told from the kernel, and those that none did.

    One that survives may be equivalent to the kernel: nobody can know in general, so it counts
    as survived.
    """

    killed: frozenset[int]
    survived: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _CaseTrial:
    """A case in one order, and how the kernel itself did in it."""

    case: Case
    order: ThreadOrder
    finding_kinds: frozenset[str]
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
    deadline = time.monotonic() + seconds
    numbers = set(mutants.changes if mutant_numbers is None else mutant_numbers)
    trials = _list_trials(mutants.program, cases, blobs)
    if not trials:
        return None

    alive = set(numbers)

    for trial in trials:
        # what was not tried counts as survived: strength is never overstated
        if time.monotonic() > deadline:
            break
        candidates = _select_candidates(trial, alive, mutants)
        alive -= _find_killed(mutants.program, trial, candidates, blobs)

    return MutationScore(killed=frozenset(numbers - alive), survived=frozenset(alive))


def _list_trials(
    program: Program, cases: Sequence[Case], blobs: Blobs
) -> list[_CaseTrial]:
    """Return each case in the orders in which the kernel itself is right: of others nothing can
    be told.
    """
    ordered_cases = sorted(cases, key=_trial_rank)
    trials: list[_CaseTrial] = []

    # a barrier that is missing shows only when threads run in another order
    for order in (ThreadOrder.FORWARD, ThreadOrder.REVERSE):
        launches = [
            build_case_launch(case, blobs, order=order) for case in ordered_cases
        ]
        executions = run_launches(program, launches)

        for case, execution in zip(ordered_cases, executions, strict=True):
            if execution.outcome is not Outcome.DONE:
                continue
            if any(find_mismatches(case, execution.buffers, blobs)):
                continue

            kinds = frozenset(finding.kind for finding in execution.findings)
            trial = _CaseTrial(
                case=case,
                order=order,
                finding_kinds=kinds,
                seconds=execution.nanoseconds * 1e-9,
            )
            trials.append(trial)

    return trials


def _trial_rank(case: Case) -> tuple[bool, int]:
    """Return what cases are sorted by: the ordinary one first, then the smallest."""
    size = sum(buffer.size for buffer in case.buffers)
    return case.kind is not CaseKind.ORDINARY, size


def _select_candidates(
    trial: _CaseTrial, alive: set[int], mutants: MutantProgram
) -> list[int]:
    """Return the mutants that a trial may tell: only what orders threads shows in another order."""
    numbers = sorted(alive)
    if trial.order is ThreadOrder.FORWARD:
        return numbers

    return [number for number in numbers if mutants.changes[number].kind == _ORDER_KIND]


def _find_killed(
    program: Program, trial: _CaseTrial, numbers: Sequence[int], blobs: Blobs
) -> set[int]:
    """Return the mutants that a trial tells from the kernel."""
    max_seconds = min(_MAX_SECONDS, _BASE_SECONDS + _SLOWDOWN * trial.seconds)
    launch = build_case_launch(
        trial.case, blobs, order=trial.order, max_seconds=max_seconds
    )
    buffer_bytes = sum(buffer.size for buffer in launch.buffers)
    batch_size = max(1, _BATCH_BYTES // (1 + buffer_bytes))
    killed: set[int] = set()

    for begin in range(0, len(numbers), batch_size):
        batch = numbers[begin : begin + batch_size]
        launches = [replace(launch, mutant=number) for number in batch]
        executions = run_launches(program, launches)

        for number, execution in zip(batch, executions, strict=True):
            if _differs(trial, execution, blobs):
                killed.add(number)

    return killed


def _differs(trial: _CaseTrial, execution: Execution, blobs: Blobs) -> bool:
    """Tell whether a mutant did otherwise than the kernel."""
    if execution.outcome is not Outcome.DONE:
        return True

    for finding in execution.findings:
        if finding.kind not in trial.finding_kinds:
            return True

    return any(find_mismatches(trial.case, execution.buffers, blobs))
