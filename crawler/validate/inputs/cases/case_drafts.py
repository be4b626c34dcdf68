"""Draft the cases of a kernel as variations of its ordinary trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crawler.model import CaseKind, CaseOrigin
from crawler.validate.inputs.cases.branch_search import search_branches
from crawler.validate.inputs.cases.variations import (
    Variation,
    iter_other_sizes,
    iter_same_sizes,
    iter_variations,
)
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.informative_output import (
    list_touched_ranges,
    list_written_buffers,
    writes_single_value,
)
from crawler.validate.inputs.trials.settled_trials import (
    TrialResult,
    settle_buffer_sizes,
)

ENOUGH_CASES: Final = 9
"""Cases, with the hidden one: some may turn out not to be informative."""
BRANCH_CASE_PREFIX: Final = "reach-"
"""Prefix of the names of cases that were drawn to take branches that no other takes."""
_HIDDEN_CASE: Final = "hidden"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseDraft:
    """A case before its golden outputs are known."""

    name: str
    kind: CaseKind
    result: TrialResult
    is_hidden: bool = False
    origin: CaseOrigin = CaseOrigin.SEARCH
    source: str = ""
    licence: str = ""


def draft_cases(
    subject: TrialSubject, base: TrialResult, seed: int
) -> tuple[CaseDraft, ...]:
    """Return the cases that run cleanly: the base as the ordinary one, and its variations."""
    drafts = [
        CaseDraft(
            name="ordinary",
            kind=CaseKind.ORDINARY,
            result=base,
        )
    ]

    _append_drafts(subject, base, list(iter_variations(subject, base, seed)), drafts)

    for iter_further in (iter_other_sizes, iter_same_sizes):
        if sum(_has_varied_output(draft.result) for draft in drafts) < ENOUGH_CASES:
            further_variations = list(iter_further(subject, base.trial, seed))
            _append_drafts(subject, base, further_variations, drafts)

    # Random trials come last: they are only for branches that no other case takes.
    known_results = [draft.result for draft in drafts]
    branch_results = search_branches(subject, base, known_results, seed)

    for number, result in enumerate(branch_results, 1):
        name = f"{BRANCH_CASE_PREFIX}{number}"
        drafts.append(
            CaseDraft(
                name=name,
                kind=CaseKind.EXTRA,
                result=result,
            )
        )

    return tuple(drafts)


def count_shown_cases(cases: Sequence[CaseDraft]) -> int:
    """Return how many of the cases are shown."""
    return sum(not case.is_hidden for case in cases)


def _append_drafts(
    subject: TrialSubject,
    base: TrialResult,
    variations: Sequence[Variation],
    drafts: list[CaseDraft],
) -> None:
    """Append those variations that run cleanly, mean what their kind says, and are new."""
    trials = [variation.trial for variation in variations]
    settled = settle_buffer_sizes(subject.program, subject.layout, trials)

    for variation, result in zip(variations, settled, strict=True):
        if not result.is_as_clean_as(base):
            continue
        if not _means_its_kind(variation.kind, base, result):
            continue
        # A kernel without sizes has the same trial for many variations.
        if any(draft.result.trial == result.trial for draft in drafts):
            continue

        drafts.append(
            CaseDraft(
                name=variation.name,
                kind=variation.kind,
                result=result,
                is_hidden=variation.name == _HIDDEN_CASE,
            )
        )


def _has_varied_output(result: TrialResult) -> bool:
    """Tell whether a run leaves more than one value in a buffer that it writes."""
    return any(
        not writes_single_value(result.trial, result.execution, index)
        for index in list_written_buffers(result.execution)
    )


def _means_its_kind(kind: CaseKind, base: TrialResult, result: TrialResult) -> bool:
    """Tell whether a larger grid does the same work, and no case reads in front of a buffer.

    Otherwise nothing guards the kernel's end, or its indices, and the case means something
    else.
    """
    if kind is CaseKind.MANY_BLOCKS:
        base_ranges = list_touched_ranges(base.execution)
        return base_ranges == list_touched_ranges(result.execution)

    base_leading_bytes = base.trial.memory.leading_bytes
    return result.trial.memory.leading_bytes == base_leading_bytes
