"""Draw the cases of a kernel, run them in every way, and judge them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from crawler.validate.behaviour.case_building import list_output_buffers
from crawler.validate.behaviour.case_judgement import CaseJudgement, judge_case
from crawler.validate.behaviour.variants import run_variants
from crawler.validate.cpu.cases.subject_search import OrdinaryCase, has_untraced_fault
from crawler.validate.cpu.suite import (
    COMPARABLE_BEHAVIOURS,
    WANTED_CASES,
    count_shown_cases,
    is_telling,
)
from crawler.validate.emulator.cpu_budget import CpuBudgetExceeded
from crawler.validate.emulator.program import Program
from crawler.validate.inputs.cases.case_drafts import CaseDraft, draft_cases
from crawler.validate.inputs.cases.further_cases import draw_further_cases
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.sizes.stride_choices import ALIGNMENT_ELEMENTS
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.parameter_types import list_argument_names


def judge_cases(
    program: Program,
    ordinary_case: OrdinaryCase,
    seed: int,
    blobs: Blobs,
    recorded_drafts: Sequence[CaseDraft] = (),
) -> list[CaseJudgement]:
    """Draw the cases of a kernel, and judge them with those that were recorded; further ones where
    too few tell anything.
    """
    subject = ordinary_case.subject
    ordinary = ordinary_case.trial_result
    drafts = draft_cases(subject, ordinary, seed)
    trial_results = [draft.result for draft in drafts]

    # one of them may need wider alignment than the ordinary case did
    if subject.size_multiple == 1 and has_untraced_fault(
        program, subject, trial_results
    ):
        subject = replace(subject, size_multiple=ALIGNMENT_ELEMENTS)
        drafts = draft_cases(subject, ordinary, seed)

    # together: each way to run them is compiled once
    judgements = run_and_judge(subject, program, [*drafts, *recorded_drafts], blobs)
    missing_count = WANTED_CASES - count_shown_cases(judgements)
    if missing_count <= 0 or judgements[0].behaviour not in COMPARABLE_BEHAVIOURS:
        return judgements

    telling_drafts = [
        draft
        for draft, judgement in zip(drafts, judgements, strict=False)
        if is_telling(judgement)
    ]

    further_drafts = draw_further_cases(
        subject, telling_drafts, ordinary, missing_count, seed
    )

    # what is known of the kernel stays so, whatever its further cases take
    with suppress(CpuBudgetExceeded):
        if further_drafts:
            judgements += run_and_judge(subject, program, further_drafts, blobs)

    return judgements


def run_and_judge(
    subject: TrialSubject, program: Program, drafts: Sequence[CaseDraft], blobs: Blobs
) -> list[CaseJudgement]:
    """Run cases in each way that may tell something, and judge them."""
    parameter_names = [parameter.name for parameter in subject.kernel.parameters]
    signature = subject.program.signatures[subject.entry]
    variants = run_variants(
        subject.unit,
        program,
        subject.layout,
        drafts,
        subject.entry,
        [list_output_buffers(draft) for draft in drafts],
        list_argument_names(signature, parameter_names),
    )

    return [
        judge_case(subject, draft, variant_runs, blobs)
        for draft, variant_runs in zip(drafts, variants, strict=True)
    ]
