"""Make a suite and a verdict of the cases that were judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler import codec
from crawler.model import Behaviour, KernelUnit, Status, Suite, Verdict
from crawler.validate.behaviour.golden_case import GoldenCase
from crawler.validate.behaviour.verdict_messages import explain_code
from crawler.validate.cpu.cases.preconditions import Precondition
from crawler.validate.cpu.result import (
    CpuValidation,
    build_failed_validation,
    build_run,
)
from crawler.validate.inputs.cases.case_drafts import BRANCH_CASE_PREFIX
from crawler.validate.values.blobs import Blobs

WANTED_CASES: Final = 6
"""Cases that a suite ought to have."""
COMPARABLE_BEHAVIOURS: Final = (
    Behaviour.DETERMINISTIC,
    Behaviour.ATOMIC_NONDETERMINISTIC,
)
"""Behaviours with results that another run can be held against."""


def is_telling(golden_case: GoldenCase) -> bool:
    """Tell whether a case can show that a kernel computes something wrong."""
    return golden_case.behaviour in COMPARABLE_BEHAVIOURS and not golden_case.is_trivial


def count_shown_cases(golden_cases: Sequence[GoldenCase]) -> int:
    """Return how many cases tell something and are shown."""
    shown_cases = [
        golden_case
        for golden_case in golden_cases
        if is_telling(golden_case) and not golden_case.case.hidden
    ]
    return len(shown_cases)


def conclude_validation(
    unit: KernelUnit,
    seed: int,
    golden_cases: Sequence[GoldenCase],
    blobs: Blobs,
    precondition: Precondition | None = None,
) -> CpuValidation:
    """Return the validation of a unit with these cases, of which the first is the ordinary one."""
    first = golden_cases[0]
    if first.behaviour not in COMPARABLE_BEHAVIOURS:
        return build_failed_validation(unit, first.behaviour, first.code)

    telling = [golden_case for golden_case in golden_cases if is_telling(golden_case)]
    if not telling:
        return build_failed_validation(unit, Behaviour.TRIVIAL, "trivial-output")

    cases = tuple(
        golden_case.case
        for golden_case in golden_cases
        if _belongs_in_suite(golden_case)
    )
    suite = Suite(unit=unit.digest, seed=seed, cases=cases)
    shown_count = count_shown_cases(golden_cases)
    code = _choose_code(telling, shown_count)
    verdict = Verdict(status=Status.CONSISTENT, code=code, message=explain_code(code))
    if precondition is not None:
        verdict = Verdict(
            status=Status.CONDITIONAL,
            code=precondition.code,
            message=precondition.message,
        )

    run = build_run(unit, _choose_behaviour(telling), verdict)
    suite_digest = blobs.put(codec.encode(suite))
    run = replace(run, suite=suite_digest, cases=shown_count)

    return CpuValidation(run=run, suite=suite, blobs=blobs)


def _belongs_in_suite(golden_case: GoldenCase) -> bool:
    if golden_case.behaviour not in COMPARABLE_BEHAVIOURS:
        return False
    # what reaches a branch of its own stays, though its outputs are no case that counts
    reaches_branch = golden_case.case.name.startswith(BRANCH_CASE_PREFIX)
    return reaches_branch or not golden_case.is_trivial


def _choose_behaviour(telling: Sequence[GoldenCase]) -> Behaviour:
    behaviours = {golden_case.behaviour for golden_case in telling}
    if Behaviour.ATOMIC_NONDETERMINISTIC in behaviours:
        return Behaviour.ATOMIC_NONDETERMINISTIC
    return Behaviour.DETERMINISTIC


def _choose_code(telling: Sequence[GoldenCase], shown_count: int) -> str:
    if shown_count < WANTED_CASES:
        return "few-cases"
    if any(golden_case.depends_on_warp_size for golden_case in telling):
        return "lanes"
    return "self-consistent"
