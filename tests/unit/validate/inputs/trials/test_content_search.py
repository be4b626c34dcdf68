"""Contents with which kernels run cleanly and tell something, found by running them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.validate.emulator.execution_report import Outcome
from crawler.validate.inputs.ordinary.first_trial import (
    build_first_trial,
    forget_buffer_sizes,
)
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.sizes.size_choices import choose_usual_size
from crawler.validate.inputs.trials.content_search import (
    check_input_dependence,
    fill_with_data,
    find_informative_contents,
    repair_contents,
)
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.settled_trials import (
    TrialResult,
    settle_buffer_sizes,
)
from crawler.validate.inputs.trials.trial import Trial
from tests.stand_ins.traced import build_traced_subject

pytestmark = pytest.mark.apt

GATHER = """__global__ void k(const float* a, const int* index, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[index[i]] + 1;
}
"""
PARAMETERS = (
    ("a", "const float *"),
    ("index", "const int *"),
    ("out", "float *"),
    ("n", "int"),
)
ZEROS = FillPattern(Filling.ZEROS)
DATA = FillPattern(Filling.DATA)
SMALL = FillPattern(Filling.SMALL_INTEGERS, 4)


@pytest.fixture(scope="module")
def subject() -> TrialSubject:
    return build_traced_subject(GATHER, PARAMETERS)


def build_trial(
    subject: TrialSubject, data: FillPattern, indices: FillPattern
) -> Trial:
    trial = build_first_trial(subject, choose_usual_size, 0)
    memory = trial.memory.with_pattern(0, data).with_pattern(1, indices)
    return replace(trial, memory=memory)


def settle(
    subject: TrialSubject, data: FillPattern, indices: FillPattern
) -> TrialResult:
    trial = build_trial(subject, data, indices)
    (result,) = settle_buffer_sizes(subject.program, subject.layout, [trial])
    return result


def test_memory_becomes_as_large_as_the_run_reaches(subject: TrialSubject) -> None:
    result = settle(subject, DATA, SMALL)
    assert result.is_clean
    n = int(result.trial.configuration.scalars["n"])
    # Indices of which each is below four; an index and an output for each thread.
    assert result.trial.memory.sizes == (16, 4 * n, 4 * n)


def test_indices_without_bound_need_more_memory_than_there_is(
    subject: TrialSubject,
) -> None:
    huge = FillPattern(Filling.SMALL_INTEGERS, 1 << 30)
    result = settle(subject, DATA, huge)
    assert not result.is_usable
    assert not result.is_clean


def test_trials_are_settled_each_for_itself(subject: TrialSubject) -> None:
    trials = [
        build_trial(subject, DATA, SMALL),
        build_trial(subject, DATA, FillPattern(Filling.SMALL_INTEGERS, 1 << 30)),
        build_trial(subject, DATA, ZEROS),
    ]
    results = settle_buffer_sizes(subject.program, subject.layout, trials)
    assert [result.is_clean for result in results] == [True, False, True]
    assert results[2].trial.memory.sizes[0] == 4


def test_outputs_of_data_are_informative_and_those_of_zeros_are_not(
    subject: TrialSubject,
) -> None:
    results = [settle(subject, DATA, SMALL), settle(subject, ZEROS, ZEROS)]
    checks = check_input_dependence(subject.program, subject.layout, results)
    assert checks == [True, False]
    assert check_input_dependence(subject.program, subject.layout, []) == []


def test_contents_that_tell_nothing_give_way_to_some_that_do(
    subject: TrialSubject,
) -> None:
    base = settle(subject, ZEROS, ZEROS)
    unsized = forget_buffer_sizes(subject, base.trial)
    livelier = find_informative_contents(subject.program, subject.layout, base, unsized)
    assert livelier.is_informative
    assert livelier.is_clean
    assert livelier.trial.memory.patterns[0].filling is not Filling.ZEROS


def test_contents_that_tell_something_stay(subject: TrialSubject) -> None:
    base = settle(subject, DATA, SMALL)
    unsized = forget_buffer_sizes(subject, base.trial)
    same = find_informative_contents(subject.program, subject.layout, base, unsized)
    assert same.trial == base.trial
    assert same.is_informative


def test_indices_that_reach_too_far_are_repaired(subject: TrialSubject) -> None:
    failed = settle(subject, DATA, FillPattern(Filling.SMALL_INTEGERS, 1 << 30))
    assert not failed.is_clean
    unsized = forget_buffer_sizes(subject, failed.trial)
    repaired = repair_contents(subject.program, subject.layout, failed, unsized)
    clean = [result for result in repaired if result.is_clean]
    assert clean
    assert clean[0].execution.outcome is Outcome.DONE
    assert clean[0].trial.memory.patterns[1].bound < 1 << 30


def test_only_what_indexes_nothing_is_widened(subject: TrialSubject) -> None:
    bounded = FillPattern(Filling.BOUNDED_REALS, 4)
    base = replace(settle(subject, bounded, SMALL), is_informative=True)
    wide = fill_with_data(subject.program, subject.layout, base)
    assert wide.trial.memory.patterns[0] == DATA
    assert wide.trial.memory.patterns[1] == SMALL
    assert wide.is_informative
