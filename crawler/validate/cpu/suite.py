"""Make a suite and a verdict of the cases that were judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crawler import codec
from crawler.model import Behaviour, KernelUnit, Status, Suite, Verdict
from crawler.validate.behaviour.case_judgement import CaseJudgement
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


def is_telling(judgement: CaseJudgement) -> bool:
    """Tell whether a case can show that a kernel computes something wrong."""
    return judgement.behaviour in COMPARABLE_BEHAVIOURS and not judgement.is_trivial


def count_shown_cases(judgements: Sequence[CaseJudgement]) -> int:
    """Return how many cases tell something and are shown."""
    shown_judgements = [
        judgement
        for judgement in judgements
        if is_telling(judgement) and not judgement.case.hidden
    ]
    return len(shown_judgements)


def conclude_validation(
    unit: KernelUnit,
    seed: int,
    judgements: Sequence[CaseJudgement],
    blobs: Blobs,
    precondition: Precondition | None = None,
) -> CpuValidation:
    """Return the validation of a unit with these cases, of which the first is the ordinary one."""
    first = judgements[0]
    if first.behaviour not in COMPARABLE_BEHAVIOURS:
        return build_failed_validation(unit, first.behaviour, first.code)

    telling = [judgement for judgement in judgements if is_telling(judgement)]
    if not telling:
        return build_failed_validation(unit, Behaviour.TRIVIAL, "trivial-output")

    cases = tuple(
        judgement.case for judgement in judgements if _belongs_in_suite(judgement)
    )
    suite = Suite(unit=unit.digest, seed=seed, cases=cases)
    shown_count = count_shown_cases(judgements)
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


def _belongs_in_suite(judgement: CaseJudgement) -> bool:
    if judgement.behaviour not in COMPARABLE_BEHAVIOURS:
        return False
    # what reaches a branch of its own stays, though its outputs are no case that counts
    reaches_branch = judgement.case.name.startswith(BRANCH_CASE_PREFIX)
    return reaches_branch or not judgement.is_trivial


def _choose_behaviour(telling: Sequence[CaseJudgement]) -> Behaviour:
    behaviours = {judgement.behaviour for judgement in telling}
    if Behaviour.ATOMIC_NONDETERMINISTIC in behaviours:
        return Behaviour.ATOMIC_NONDETERMINISTIC
    return Behaviour.DETERMINISTIC


def _choose_code(telling: Sequence[CaseJudgement], shown_count: int) -> str:
    if shown_count < WANTED_CASES:
        return "few-cases"
    if any(judgement.depends_on_warp_size for judgement in telling):
        return "lanes"
    return "self-consistent"
