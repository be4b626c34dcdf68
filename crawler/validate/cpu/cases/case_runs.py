"""Draw the cases of a kernel, run them in every way, and judge them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from crawler.validate.behaviour.case_building import list_output_buffers
from crawler.validate.behaviour.golden_case import GoldenCase, derive_golden_case
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


def derive_golden_cases(
    program: Program,
    ordinary_case: OrdinaryCase,
    seed: int,
    blobs: Blobs,
    recorded_drafts: Sequence[CaseDraft] = (),
) -> list[GoldenCase]:
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
    golden_cases = run_cases(subject, program, [*drafts, *recorded_drafts], blobs)
    missing_count = WANTED_CASES - count_shown_cases(golden_cases)
    if missing_count <= 0 or golden_cases[0].behaviour not in COMPARABLE_BEHAVIOURS:
        return golden_cases

    telling_drafts = [
        draft
        for draft, golden_case in zip(drafts, golden_cases, strict=False)
        if is_telling(golden_case)
    ]

    further_drafts = draw_further_cases(
        subject, telling_drafts, ordinary, missing_count, seed
    )

    # what is known of the kernel stays so, whatever its further cases take
    with suppress(CpuBudgetExceeded):
        if further_drafts:
            golden_cases += run_cases(subject, program, further_drafts, blobs)

    return golden_cases


def run_cases(
    subject: TrialSubject, program: Program, drafts: Sequence[CaseDraft], blobs: Blobs
) -> list[GoldenCase]:
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
        derive_golden_case(subject, draft, variant_runs, blobs)
        for draft, variant_runs in zip(drafts, variants, strict=True)
    ]
