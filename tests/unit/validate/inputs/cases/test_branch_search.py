"""Branches that runs take, counted over several runs."""

from __future__ import annotations

from dataclasses import replace

from crawler.validate.inputs.cases.branch_search import BranchCoverage
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.strength.coverage_mapping import Branch
from tests.stand_ins.subjects import build_base, build_plain_subject

FUNCTION = 7
# Counter 1 counts the body of an `if`, counter 0 the function.
TAKEN = Branch(place=((5, 7),), end=(5, 12), way=True, count="#1")
SKIPPED = Branch(place=((5, 7),), end=(5, 12), way=False, count="(#0 - #1)")
SUBJECT = replace(build_plain_subject(), function_branches={FUNCTION: (TAKEN, SKIPPED)})


def build_result(*counters: int) -> TrialResult:
    base = build_base(SUBJECT)
    execution = replace(base.execution, counters=((FUNCTION, counters),))
    return replace(base, execution=execution)


def test_a_run_counts_that_takes_a_branch_for_the_first_time() -> None:
    coverage = BranchCoverage(SUBJECT)
    assert coverage.record_run(build_result(4, 4))
    assert not coverage.record_run(build_result(9, 9))
    assert not coverage.is_complete
    assert coverage.record_run(build_result(9, 0))
    assert coverage.is_complete


def test_a_run_may_take_both_ways() -> None:
    coverage = BranchCoverage(SUBJECT)
    assert coverage.record_run(build_result(9, 4))
    assert coverage.is_complete


def test_functions_that_never_ran_do_not_count() -> None:
    coverage = BranchCoverage(SUBJECT)
    assert not coverage.record_run(build_base(SUBJECT))
    assert coverage.is_complete
