"""Draw further cases where too few depend on their inputs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from crawler.model import CaseKind
from crawler.validate.emulator.cpu_budget import CpuBudgetExceeded
from crawler.validate.evidence.names import is_block_size
from crawler.validate.inputs.cases.branch_search import MAX_BATCHES
from crawler.validate.inputs.cases.case_drafts import CaseDraft
from crawler.validate.inputs.cases.random_trials import BATCH_SIZE, RandomTrials
from crawler.validate.inputs.cases.resized_trial import GrowthRule, resize_trial
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.content_search import check_input_dependence
from crawler.validate.inputs.trials.settled_trials import (
    TrialResult,
    settle_buffer_sizes,
)
from crawler.validate.inputs.trials.trial import Trial, derive_seed

_MAX_TURNS: Final = 6
_REDRAW_INTERVAL: Final = 3
"""Every such batch is drawn around the base in any case."""
_SPARE_CASES: Final = 1
_MAX_BATCH_SECONDS: Final = 3.0
"""Of processor time that a batch may take, as estimated from its base."""
_FIRST_STREAM: Final = 20_000
_GROWTH_RULES: Final[tuple[GrowthRule, ...]] = (
    lambda value: value,
    lambda value: value + 1 if value >= 4 else value,
    lambda value: 2 * value if value >= 4 else value,
    lambda value: -(-3 * value // 2),
    lambda value: max(1, 3 * value // 4),
    lambda value: 4 * value if value >= 32 else value,
    lambda value: max(1, value // 2),
)


def draw_further_cases(
    subject: TrialSubject,
    informative_drafts: Sequence[CaseDraft],
    base: TrialResult,
    missing_count: int,
    seed: int,
) -> tuple[CaseDraft, ...]:
    """Return `missing_count` further informative cases and a spare one, or fewer.

    They differ from `informative_drafts` by sizes and data. While there are none of those, they
    are drawn around the base.
    """
    roots = [draft.result for draft in informative_drafts]
    random_trials = RandomTrials(subject, base, seed)
    new_results: list[TrialResult] = []
    max_results = missing_count + _SPARE_CASES

    for turn in range(_MAX_TURNS):
        trials = _draw_turn(subject, random_trials, roots, turn, seed)
        trial_count = _affordable_trials(base, len(trials))

        try:
            informative = _select_informative(
                subject, base, trials[:trial_count], [*roots, *new_results]
            )
        except CpuBudgetExceeded:
            break

        new_results += informative[: max_results - len(new_results)]
        # Nothing was informative: sizes that are all alike may be why.
        if not roots:
            roots = list(new_results)
        if len(new_results) == max_results:
            break

    return tuple(
        CaseDraft(
            name=f"telling-{number}",
            kind=CaseKind.EXTRA,
            result=result,
        )
        for number, result in enumerate(new_results, 1)
    )


def _draw_turn(
    subject: TrialSubject,
    random_trials: RandomTrials,
    roots: Sequence[TrialResult],
    turn: int,
    seed: int,
) -> list[Trial]:
    """Return the trials of a turn: around informative ones, or around the base."""
    if roots and (turn + 1) % _REDRAW_INTERVAL:
        return list(_iter_around_roots(subject, random_trials, roots, turn, seed))

    trials = list(random_trials.draw_batch(MAX_BATCHES + turn))
    if not roots:
        for position, trial in enumerate(trials[::2]):
            number = turn * BATCH_SIZE + position
            trials[2 * position] = _scatter_sizes(subject, trial, number)

    return trials


def _affordable_trials(base: TrialResult, max_trials: int) -> int:
    """Return how many trials are run at a time, each of them three times and more."""
    run_seconds = max(base.execution.nanoseconds, 1) * 1e-9
    run_count = int(_MAX_BATCH_SECONDS / run_seconds)

    # A power of two, so that the speed of a machine seldom leads to other cases.
    trial_count = 1 << max(0, run_count.bit_length() - 1)
    return max(2, min(max_trials, trial_count))


def _iter_around_roots(
    subject: TrialSubject,
    random_trials: RandomTrials,
    roots: Sequence[TrialResult],
    turn: int,
    seed: int,
) -> Iterator[Trial]:
    """Yield informative trials with other sizes and other data, mostly of the same kind."""
    for position in range(BATCH_SIZE):
        number = turn * BATCH_SIZE + position
        rng = random.Random(derive_seed(seed, _FIRST_STREAM + number))  # noqa: S311
        # Each informative case in turn.
        root = roots[position % len(roots)].trial
        grow = rng.choice(_GROWTH_RULES)
        trial = resize_trial(subject, root, grow, 200 + number, seed)

        modes = root.scalar_overrides
        if rng.random() < 0.3:
            modes = {**trial.scalar_overrides, **random_trials.draw_reals(rng)}

        memory = trial.memory
        if rng.random() < 0.5:
            memory = random_trials.refill_by_type(memory, rng)

        yield replace(
            trial,
            scalar_overrides=modes,
            memory=memory,
        )


def _scatter_sizes(subject: TrialSubject, trial: Trial, number: int) -> Trial:
    """Return a trial whose sizes have little to do with each other.

    A kernel may leave out work where sizes are alike, e.g. copy instead of resample.
    """
    rng = random.Random(derive_seed(trial.seed, number))  # noqa: S311

    def choose(_text: str, names: tuple[str, ...], value: int) -> int:
        if is_block_size(names):
            return value

        return rng.choice((1, 2, value, value, 2 * value, 64))

    configuration = subject.choose_configuration(
        choose, block=trial.configuration.block
    )
    return replace(trial, configuration=configuration)


def _select_informative(
    subject: TrialSubject,
    base: TrialResult,
    trials: Sequence[Trial],
    known_results: Sequence[TrialResult],
) -> list[TrialResult]:
    """Return the results that are clean, informative, and none of `known_results`."""
    known_trials = [result.trial for result in known_results]
    settled = settle_buffer_sizes(subject.program, subject.layout, trials)
    candidates = [
        result
        for result in settled
        if result.is_as_clean_as(base) and result.trial not in known_trials
    ]

    checks = check_input_dependence(subject.program, subject.layout, candidates)
    return [
        result
        for result, is_informative in zip(candidates, checks, strict=True)
        if is_informative
    ]
