"""Random trials: the same for the same seed, and within what the kernel allows."""

from __future__ import annotations

from crawler.validate.inputs.cases.random_trials import BATCH_SIZE, RandomTrials
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.inputs.trials.trial import Trial
from tests.stand_ins.subjects import build_base, build_plain_subject

SUBJECT = build_plain_subject()
BASE = build_base(SUBJECT)


def draw_trials(seed: int, base: TrialResult = BASE, batches: int = 4) -> list[Trial]:
    random_trials = RandomTrials(SUBJECT, base, seed)
    trials: list[Trial] = []
    for batch in range(batches):
        trials.extend(random_trials.draw_batch(batch))
    return trials


def test_the_same_seed_draws_the_same_trials() -> None:
    assert draw_trials(3) == draw_trials(3)
    assert draw_trials(3) != draw_trials(4)
    assert len(draw_trials(3)) == 4 * BATCH_SIZE


def test_sizes_modes_thresholds_and_data_vary() -> None:
    trials = draw_trials(1)
    sizes = {trial.configuration.scalars["n"] for trial in trials}
    modes = {trial.scalar_overrides["mode"] for trial in trials}
    windows = {trial.scalar_overrides.get("window") for trial in trials}
    fillings = {trial.memory.patterns[1].filling for trial in trials}
    assert len(sizes) > 5
    assert modes == {2, 5, 6}
    assert windows == {None, 6, 7, 8}
    assert Filling.COMPARED_VALUES in fillings
    assert len(fillings) > 4


def test_only_pointers_that_the_kernel_checks_are_null() -> None:
    assert {trial.null_buffers for trial in draw_trials(1)} == {
        frozenset(),
        frozenset({0}),
    }


def test_what_is_not_read_and_what_is_fixed_keeps_its_content() -> None:
    links = FillPattern(Filling.FORWARD_LINKS, 4)
    memory = BASE.trial.memory.with_pattern(1, links)
    base = TrialResult(
        trial=Trial(
            configuration=BASE.trial.configuration,
            memory=memory,
            seed=BASE.trial.seed,
        ),
        execution=BASE.execution,
    )
    for trial in draw_trials(1, base):
        assert trial.memory.patterns[1] == links
        assert trial.memory.patterns[2] == memory.patterns[2]
