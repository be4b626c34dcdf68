"""Draw random trials until the branches of a kernel are taken."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from crawler.validate.inputs.cases.resized_trial import GrowthRule, resize_trial
from crawler.validate.inputs.ordinary.ordinary_trial import TrialSubject
from crawler.validate.inputs.trials.buffer_contents import (
    FIXED_FILLINGS,
    Filling,
    FillPattern,
)
from crawler.validate.inputs.trials.content_search import (
    TrialResult,
    settle_buffer_sizes,
)
from crawler.validate.inputs.trials.trial import (
    Trial,
    TrialMemory,
    add_headroom,
    derive_seed,
)
from crawler.validate.strength.coverage_mapping import BranchKey, find_taken_branches
from crawler.validate.values.scalar_types import ScalarType

_BATCH: Final = 16
"""Trials that are drawn at a time."""
MAX_BATCHES: Final = 4
_IN_VAIN: Final = 2
"""Batches in a row that reach nothing more, after which no other is drawn."""
_MOST: Final = 8
_ANYWAY: Final = 2
"""Trials that are kept although they reach nothing more: they differ, and tell mutants."""
_REALS: Final = (0.0, 0.001, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0, -1.0)
"""Of thresholds, bounds and factors."""
_OF_REALS: Final = (
    *(FillPattern(Filling.BOUNDED_REALS, bound) for bound in (1, 4, 16, 64)),
    *(FillPattern(Filling.OUT_OF_RANGE_REALS, bound) for bound in (1, 4, 16, 64)),
    *(
        FillPattern(Filling.ASCENDING, 2),
        FillPattern(Filling.DATA),
        FillPattern(Filling.ZEROS),
        FillPattern(Filling.SMALL_INTEGERS, 4),
    ),
)
_OF_WHOLE: Final = (
    *(FillPattern(Filling.SMALL_INTEGERS, bound) for bound in (2, 3, 4, 8, 16, 64)),
    *(
        FillPattern(Filling.INDICES_WITH_NONE, 4),
        FillPattern(Filling.COUNTS, 6),
        FillPattern(Filling.ZEROS),
        FillPattern(Filling.ASCENDING_WITH_REPEATS, 2),
    ),
    *(
        FillPattern(Filling.ASCENDING, 3),
        FillPattern(Filling.PERMUTATION),
        FillPattern(Filling.DATA),
    ),
)


class BranchCoverage:
    """The branches of one entry, and those that some run took."""

    def __init__(self, subject: TrialSubject) -> None:
        self._ways = subject.function_branches
        self._all: set[BranchKey] = set()
        self._taken: set[BranchKey] = set()

    def record_run(self, result: TrialResult) -> bool:
        """Take note of a run; tell whether it took a branch that none has before."""
        counts = result.execution.counters
        self._all |= {
            branch.key for name, _ in counts for branch in self._ways.get(name, ())
        }
        more = {
            branch.key for branch in find_taken_branches(self._ways, counts)
        } - self._taken
        self._taken |= more
        return bool(more)

    @property
    def is_complete(self) -> bool:
        """Tell whether no branch is left."""
        return self._all <= self._taken


def search_branches(
    subject: TrialSubject, base: TrialResult, known: Sequence[TrialResult], seed: int
) -> tuple[TrialResult, ...]:
    """Return runs that end cleanly and take branches that no run of `known` takes, and few that
    do not.
    """
    reached = BranchCoverage(subject)
    for each in known:
        reached.record_run(each)
    drawn = RandomTrials(subject, base, seed)
    kept: list[TrialResult] = []
    spare: list[TrialResult] = []
    in_vain = 0
    for batch in range(MAX_BATCHES):
        if in_vain == _IN_VAIN or len(kept) >= _MOST or (batch and reached.is_complete):
            break
        before = len(kept)
        for found in settle_buffer_sizes(
            subject.program, subject.layout, list(drawn.draw_batch(batch))
        ):
            if not (found.is_usable and set(found.problems) <= set(base.problems)):
                continue
            (kept if reached.record_run(found) else spare).append(found)
        in_vain = in_vain + 1 if len(kept) == before else 0
    return (*kept[:_MOST], *spare[:_ANYWAY])


class RandomTrials:
    """Trials drawn at random, the same for the same unit and seed."""

    def __init__(self, subject: TrialSubject, base: TrialResult, seed: int) -> None:
        self._subject, self._base, self._seed = subject, base.trial, seed
        accesses = base.execution.accesses
        contents = base.trial.memory.patterns
        self._read = [
            at
            for at, access in enumerate(accesses)
            if access.is_input and contents[at].filling not in FIXED_FILLINGS
        ]

    def draw_batch(self, number: int) -> Iterator[Trial]:
        """Yield the `number`th trials."""
        for at in range(_BATCH):
            yield self._trial(number * _BATCH + at)

    def _trial(self, number: int) -> Trial:
        rng = random.Random(derive_seed(self._seed, 10_000 + number))  # noqa: S311
        grow = self._grow(rng)
        base = self._base
        sized = (
            replace(base, memory=add_headroom(base.memory))
            if grow is None
            else self._sized(grow, number)
        )
        nulls = frozenset(
            at for at in self._subject.nullable_buffers if rng.random() < 0.5
        )
        memory = self.refill_buffers(
            base.memory if grow is None and rng.random() < 0.5 else sized.memory, rng
        )
        modes = self._modes(rng) | self.draw_reals(rng)
        return replace(
            sized,
            memory=add_headroom(memory),
            scalar_overrides=modes,
            null_buffers=nulls,
            seed=derive_seed(base.seed, number),
        )

    def _sized(self, grow: GrowthRule, number: int) -> Trial:
        return resize_trial(self._subject, self._base, grow, 100 + number, self._seed)

    @staticmethod
    def _grow(rng: random.Random) -> GrowthRule | None:
        if rng.random() < 0.4:
            return None
        if rng.random() < 0.4:
            most = rng.choice((1, 2, 3, 5, 9))
            return lambda value: min(value, most)
        times = rng.choice((0.3, 0.6, 1.4, 2.0))
        by = rng.choice((-1, 0, 1))
        return lambda value: (
            max(1, int(value * times) + by) if value >= 8 else max(1, value + by)
        )

    def _modes(self, rng: random.Random) -> dict[str, int | float]:
        modes: dict[str, int | float] = {
            name: rng.choice(values)
            for name, values in self._subject.mode_values.items()
        }
        for name, values in self._subject.threshold_values.items():
            if rng.random() < 0.5:
                modes[name] = rng.choice(values)
        return modes

    def draw_reals(self, rng: random.Random) -> dict[str, int | float]:
        """Return other values of some of the real numbers that the kernel is passed."""
        places = self._subject.layout.scalar_slots
        names = [
            each.name for each in places if each.scalar.is_real and each.role == ""
        ]
        return {name: rng.choice(_REALS) for name in names if rng.random() < 0.3}

    def refill_buffers(self, memory: TrialMemory, rng: random.Random) -> TrialMemory:
        """Return memory of which most of what is read holds something else."""
        for at in self._read:
            if rng.random() < 0.7:
                memory = memory.with_pattern(
                    at, rng.choice(self._contents(memory.elements[at].scalar))
                )
        return memory

    def refill_by_type(self, memory: TrialMemory, rng: random.Random) -> TrialMemory:
        """Return memory of which all that is read holds something else, what is of one type the
        same kind of it.
        """
        chosen: dict[ScalarType, FillPattern] = {}
        for at in self._read:
            code = memory.elements[at].scalar
            memory = memory.with_pattern(
                at, chosen.setdefault(code, rng.choice(self._contents(code)))
            )
        return memory

    def _contents(self, code: ScalarType) -> Sequence[FillPattern]:
        return _OF_REALS if code.is_real else (*_OF_WHOLE, *self._pooled)

    @cached_property
    def _pooled(self) -> tuple[FillPattern, ...]:
        pool = self._subject.compared_elements
        return (FillPattern(Filling.COMPARED_VALUES, 4, pool),) if pool else ()
