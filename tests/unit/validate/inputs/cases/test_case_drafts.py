"""Cases of a kernel, drafted by running variations of its ordinary trial."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import CaseKind
from crawler.validate.inputs.cases.branch_search import search_branches
from crawler.validate.inputs.cases.case_drafts import (
    BRANCH_CASE_PREFIX,
    CaseDraft,
    count_shown_cases,
    draft_cases,
)
from crawler.validate.inputs.cases.further_cases import draw_further_cases
from crawler.validate.inputs.ordinary.ordinary_trial import find_ordinary_trial
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.settled_trials import TrialResult
from tests.stand_ins.subjects import build_base, build_plain_subject
from tests.stand_ins.traced import build_launch, build_traced_subject

# The branch of `mode` 77 is taken by no variation of sizes.
SOURCE = """__global__ void k(const float* a, float* out, int n, int mode) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (mode == 77) out[i] = -a[i];
  else out[i] = 2 * a[i];
}
"""
PARAMETERS = (("a", "const float *"), ("out", "float *"), ("n", "int"), ("mode", "int"))
SITE = build_launch("(n + 63) / 64", "64", "int n = a.size(0);")


@pytest.fixture(scope="module")
def subject() -> TrialSubject:
    return build_traced_subject(SOURCE, PARAMETERS, SITE)


@pytest.fixture(scope="module")
def base(subject: TrialSubject) -> TrialResult:
    return find_ordinary_trial(subject, 0)


@pytest.fixture(scope="module")
def drafts(subject: TrialSubject, base: TrialResult) -> dict[str, CaseDraft]:
    return {draft.name: draft for draft in draft_cases(subject, base, 0)}


@pytest.mark.apt
def test_the_ordinary_case_is_the_base_and_comes_first(
    drafts: dict[str, CaseDraft], base: TrialResult
) -> None:
    first = next(iter(drafts.values()))
    assert (first.name, first.kind) == ("ordinary", CaseKind.ORDINARY)
    assert first.result == base
    assert not first.is_hidden


@pytest.mark.apt
def test_a_plain_kernel_has_a_case_of_every_kind(drafts: dict[str, CaseDraft]) -> None:
    kinds = {draft.kind for draft in drafts.values()}
    assert {
        CaseKind.SMALLEST,
        CaseKind.RAGGED,
        CaseKind.MANY_BLOCKS,
        CaseKind.LARGE,
        CaseKind.SPECIAL,
    } <= kinds


@pytest.mark.apt
def test_every_draft_ran_cleanly_and_is_a_case_of_its_own(
    drafts: dict[str, CaseDraft],
) -> None:
    trials = [draft.result.trial for draft in drafts.values()]
    assert all(draft.result.is_clean for draft in drafts.values())
    for number, trial in enumerate(trials):
        assert trial not in trials[:number]


@pytest.mark.apt
def test_one_case_is_hidden(drafts: dict[str, CaseDraft]) -> None:
    hidden = [name for name, draft in drafts.items() if draft.is_hidden]
    assert hidden == ["hidden"]
    assert count_shown_cases(list(drafts.values())) == len(drafts) - 1


@pytest.mark.apt
def test_the_ragged_case_fills_its_last_block_in_part(
    drafts: dict[str, CaseDraft],
) -> None:
    configuration = drafts["ragged"].result.trial.configuration
    n = configuration.scalars["n"]
    assert n % 32
    assert configuration.grid[0] == -(-n // 64)


@pytest.mark.apt
def test_more_blocks_do_the_same_work(
    drafts: dict[str, CaseDraft], base: TrialResult
) -> None:
    many = drafts["many-blocks"].result
    assert many.trial.configuration.grid[0] > base.trial.configuration.grid[0]
    assert many.execution.accesses == base.execution.accesses


UNGUARDED = SOURCE.replace("  if (i >= n) return;\n", "")


@pytest.mark.apt
def test_a_kernel_that_does_not_guard_its_end_has_no_case_of_more_blocks() -> None:
    unguarded = build_traced_subject(UNGUARDED, PARAMETERS, SITE)
    base = find_ordinary_trial(unguarded, 0)
    names = {draft.name for draft in draft_cases(unguarded, base, 0)}
    assert "ordinary" in names
    assert "many-blocks" not in names


@pytest.mark.apt
def test_both_modes_are_among_the_cases(drafts: dict[str, CaseDraft]) -> None:
    modes = {draft.result.trial.scalar_overrides["mode"] for draft in drafts.values()}
    assert 77 in modes
    assert modes - {77}


@pytest.mark.apt
def test_branches_that_no_run_took_are_searched_for(
    subject: TrialSubject, base: TrialResult
) -> None:
    plain = replace(base.trial, scalar_overrides={"mode": 0})
    known_result = replace(base, trial=plain)
    results = search_branches(subject, known_result, [], 0)
    modes = {result.trial.scalar_overrides["mode"] for result in results}
    assert 77 in modes
    assert all(result.is_as_clean_as(base) for result in results)


@pytest.mark.apt
def test_a_kernel_whose_branches_are_taken_gets_few_spare_runs(
    subject: TrialSubject, base: TrialResult, drafts: dict[str, CaseDraft]
) -> None:
    known_results = [draft.result for draft in drafts.values()]
    assert len(search_branches(subject, base, known_results, 0)) <= 2


@pytest.mark.apt
def test_branch_cases_are_numbered(drafts: dict[str, CaseDraft]) -> None:
    names = [name for name in drafts if name.startswith(BRANCH_CASE_PREFIX)]
    expected = [f"{BRANCH_CASE_PREFIX}{number}" for number in range(1, len(names) + 1)]
    assert names == expected


@pytest.mark.apt
@pytest.mark.parametrize("missing", [1, 3])
def test_missing_cases_and_a_spare_one_are_drawn(
    subject: TrialSubject,
    base: TrialResult,
    drafts: dict[str, CaseDraft],
    missing: int,
) -> None:
    cases = draw_further_cases(subject, [drafts["ordinary"]], base, missing, 0)
    names = [f"telling-{number}" for number in range(1, missing + 2)]
    assert [case.name for case in cases] == names
    trials = [case.result.trial for case in cases]
    assert base.trial not in trials
    assert all(case.kind is CaseKind.EXTRA for case in cases)
    assert all(case.result.is_as_clean_as(base) for case in cases)


@pytest.mark.apt
def test_further_cases_are_drawn_around_the_base_where_none_is_informative(
    subject: TrialSubject, base: TrialResult
) -> None:
    cases = draw_further_cases(subject, [], base, 1, 0)
    assert [case.name for case in cases] == ["telling-1", "telling-2"]


def test_shown_cases_are_those_that_are_not_hidden() -> None:
    result = build_base(build_plain_subject())
    shown_case = CaseDraft(name="a", kind=CaseKind.EXTRA, result=result)
    hidden = replace(shown_case, is_hidden=True)
    assert count_shown_cases([shown_case, hidden, shown_case]) == 2
    assert count_shown_cases([]) == 0
