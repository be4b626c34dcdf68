"""Trials with other sizes, at the same launch site."""

from __future__ import annotations

from dataclasses import replace

from crawler.model import Launch
from crawler.validate.inputs.cases.resized_trial import resize_trial
from crawler.validate.inputs.ordinary.first_trial import build_first_trial
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject, build_subject
from crawler.validate.inputs.sizes.size_choices import choose_usual_size
from crawler.validate.inputs.trials.trial import Trial
from tests.stand_ins.subjects import LAUNCH, build_plain_subject

SUBJECT = build_plain_subject()


def build_trial(subject: TrialSubject = SUBJECT) -> Trial:
    return build_first_trial(subject, choose_usual_size, 0)


def with_launch(launch: Launch) -> TrialSubject:
    kernel = replace(SUBJECT.kernel, launches=(launch,))
    return build_subject(kernel, SUBJECT.unit, 0, SUBJECT.program, launch)


def test_a_size_grows_from_what_the_base_has() -> None:
    base = resize_trial(SUBJECT, build_trial(), lambda _: 100, 1, 0)
    grown = resize_trial(SUBJECT, base, lambda size: size + 5, 1, 0)
    assert grown.configuration.scalars["n"] == 105
    assert grown.configuration.grid == (2, 1, 1)


def test_the_block_stays_whatever_sizes_become() -> None:
    base = build_trial()
    smallest = resize_trial(SUBJECT, base, lambda size: min(size, 1), 1, 0)
    assert smallest.configuration.block == base.configuration.block
    assert smallest.configuration.grid == (1, 1, 1)


def test_strides_never_shrink() -> None:
    setup = "int n = a.size(0); const int threads = 64;"
    launch = replace(
        LAUNCH,
        setup=setup,
        argument_map=(("n", "n"), ("window", "a.stride(0)")),
    )
    subject = with_launch(launch)
    base = build_trial(subject)
    stride = base.configuration.free_variables["a.stride(0)"]
    assert stride > 1
    halved = resize_trial(subject, base, lambda size: size // 2, 1, 0)
    doubled = resize_trial(subject, base, lambda size: 2 * size, 1, 0)
    assert halved.configuration.free_variables["a.stride(0)"] == stride
    assert doubled.configuration.free_variables["a.stride(0)"] == 2 * stride


def test_each_case_has_data_of_its_own() -> None:
    base = build_trial()
    seeds = {
        resize_trial(SUBJECT, base, lambda size: size, case_number, seed).seed
        for case_number in range(4)
        for seed in range(3)
    }
    assert len(seeds) == 12


def test_modes_are_those_of_the_case() -> None:
    base = build_trial()
    second = resize_trial(SUBJECT, base, lambda size: size, 1, 0)
    assert second.scalar_overrides == SUBJECT.select_mode_values(1)
    assert second.scalar_overrides != base.scalar_overrides
