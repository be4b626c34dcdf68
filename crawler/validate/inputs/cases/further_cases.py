"""Draw further cases where too few depend on their inputs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from crawler.model import CaseKind
from crawler.validate.emulator.cpu_budget import CpuBudgetExceeded
from crawler.validate.evidence.names import is_block_size
from crawler.validate.inputs.cases.branch_search import MAX_BATCHES, RandomTrials
from crawler.validate.inputs.cases.case_drafts import CaseDraft
from crawler.validate.inputs.cases.resized_trial import GrowthRule, resize_trial
from crawler.validate.inputs.ordinary.ordinary_trial import TrialSubject
from crawler.validate.inputs.trials.content_search import (
    TrialResult,
    check_informative,
    settle_buffer_sizes,
)
from crawler.validate.inputs.trials.trial import Trial, derive_seed

_BATCH: Final = 16
_TURNS: Final = 6
_ANEW: Final = 3
"""Each so manieth batch is drawn round the base in any case."""
_SPARE: Final = 1
_MOST_SECONDS: Final = 3.0
"""Of the processor that a batch may take by what its base took."""
_GROWTHS: Final[tuple[GrowthRule, ...]] = (
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
    known: Sequence[CaseDraft],
    base: TrialResult,
    missing_count: int,
    seed: int,
) -> tuple[CaseDraft, ...]:
    """Return so many cases that tell something, and a spare one, none of them among `known`,
    which do; or fewer.

    They differ from those by sizes and data; while there are none at all, they are drawn round
    the base.
    """
    roots = [each.result for each in known]
    drawn = RandomTrials(subject, base, seed)
    new: list[TrialResult] = []
    enough = missing_count + _SPARE
    for turn in range(_TURNS):
        around = bool(roots) and (turn + 1) % _ANEW
        trials = list(
            _around(subject, drawn, roots, turn, seed)
            if around
            else drawn.draw_batch(MAX_BATCHES + turn)
        )
        if not roots:
            trials[::2] = [
                _scattered(subject, each, turn * _BATCH + at)
                for at, each in enumerate(trials[::2])
            ]
        few = _affordable(base, len(trials))
        try:
            new += _telling(subject, base, trials[:few], [*roots, *new])[
                : enough - len(new)
            ]
        except CpuBudgetExceeded:
            break
        roots = roots or list(new)
        if len(new) == enough:
            break
    return tuple(
        CaseDraft(name=f"telling-{number}", kind=CaseKind.EXTRA, result=found)
        for number, found in enumerate(new, 1)
    )


def _affordable(base: TrialResult, most: int) -> int:
    """Return how many trials are tried at a time, of which each is run three times and more."""
    each = max(base.execution.nanoseconds, 1) * 1e-9
    # a power of two: how quick a machine is shall seldom lead to other cases
    return max(2, min(most, 1 << max(0, int(_MOST_SECONDS / each).bit_length() - 1)))


def _around(
    subject: TrialSubject,
    drawn: RandomTrials,
    roots: Sequence[TrialResult],
    turn: int,
    seed: int,
) -> Iterator[Trial]:
    """Yield what tells something with other sizes and other data, mostly of the same kind."""
    for at in range(_BATCH):
        number = turn * _BATCH + at
        rng = random.Random(derive_seed(seed, 20_000 + number))  # noqa: S311
        root = roots[at % len(roots)].trial
        trial = resize_trial(subject, root, rng.choice(_GROWTHS), 200 + number, seed)
        modes = (
            {**trial.scalar_overrides, **drawn.draw_reals(rng)}
            if rng.random() < 0.3
            else root.scalar_overrides
        )
        memory = (
            drawn.refill_by_type(trial.memory, rng)
            if rng.random() < 0.5
            else trial.memory
        )
        yield replace(trial, scalar_overrides=modes, memory=memory)


def _scattered(subject: TrialSubject, trial: Trial, number: int) -> Trial:
    """Return a trial whose sizes have little to do with each other: work may be left out where
    they are alike.
    """
    rng = random.Random(derive_seed(trial.seed, number))  # noqa: S311

    def choose(_text: str, names: tuple[str, ...], value: int) -> int:
        return (
            value
            if is_block_size(names)
            else rng.choice((1, 2, value, value, 2 * value, 64))
        )

    return replace(
        trial,
        configuration=subject.choose_configuration(
            choose, block=trial.configuration.block
        ),
    )


def _telling(
    subject: TrialSubject,
    base: TrialResult,
    trials: Sequence[Trial],
    known: Sequence[TrialResult],
) -> list[TrialResult]:
    """Return those of the trials that end cleanly, tell something, and are none of those that
    are known.
    """
    settled = settle_buffer_sizes(subject.program, subject.layout, trials)
    clean = [
        each
        for each in settled
        if each.is_usable and set(each.problems) <= set(base.problems)
    ]
    new = [each for each in clean if all(each.trial != other.trial for other in known)]
    return [
        each
        for each, tells in zip(
            new, check_informative(subject.program, subject.layout, new), strict=True
        )
        if tells
    ]
