"""Trials drawn at random: other sizes, modes, data and null pointers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final

from crawler.validate.inputs.cases.resized_trial import GrowthRule, resize_trial
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.fill_patterns import (
    FIXED_FILLINGS,
    Filling,
    FillPattern,
)
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.inputs.trials.trial import Trial, derive_seed
from crawler.validate.inputs.trials.trial_memory import TrialMemory, add_headroom
from crawler.validate.values.scalar_types import ScalarType

BATCH_SIZE: Final = 16
"""Trials that are drawn at a time."""
_FIRST_STREAM: Final = 10_000
"""Number of the first random stream: those below are used for other purposes."""
_REAL_VALUES: Final = (0.0, 0.001, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0, -1.0)
"""Values of thresholds, bounds and factors."""
_REAL_PATTERNS: Final = (
    FillPattern(Filling.BOUNDED_REALS, 1),
    FillPattern(Filling.BOUNDED_REALS, 4),
    FillPattern(Filling.BOUNDED_REALS, 16),
    FillPattern(Filling.BOUNDED_REALS, 64),
    FillPattern(Filling.OUT_OF_RANGE_REALS, 1),
    FillPattern(Filling.OUT_OF_RANGE_REALS, 4),
    FillPattern(Filling.OUT_OF_RANGE_REALS, 16),
    FillPattern(Filling.OUT_OF_RANGE_REALS, 64),
    FillPattern(Filling.ASCENDING, 2),
    FillPattern(Filling.DATA),
    FillPattern(Filling.ZEROS),
    FillPattern(Filling.SMALL_INTEGERS, 4),
)
_INTEGER_PATTERNS: Final = (
    FillPattern(Filling.SMALL_INTEGERS, 2),
    FillPattern(Filling.SMALL_INTEGERS, 3),
    FillPattern(Filling.SMALL_INTEGERS, 4),
    FillPattern(Filling.SMALL_INTEGERS, 8),
    FillPattern(Filling.SMALL_INTEGERS, 16),
    FillPattern(Filling.SMALL_INTEGERS, 64),
    FillPattern(Filling.INDICES_WITH_NONE, 4),
    FillPattern(Filling.COUNTS, 6),
    FillPattern(Filling.ZEROS),
    FillPattern(Filling.ASCENDING_WITH_REPEATS, 2),
    FillPattern(Filling.ASCENDING, 3),
    FillPattern(Filling.PERMUTATION),
    FillPattern(Filling.DATA),
)


class RandomTrials:
    """Trials drawn at random around a base, the same for the same unit and seed."""

    def __init__(self, subject: TrialSubject, base: TrialResult, seed: int) -> None:
        self._subject = subject
        self._base = base.trial
        self._seed = seed
        self._read_buffers: list[int] = []

        patterns = base.trial.memory.patterns
        for index, access in enumerate(base.execution.accesses):
            if access.is_input and patterns[index].filling not in FIXED_FILLINGS:
                self._read_buffers.append(index)

    def draw_batch(self, number: int) -> Iterator[Trial]:
        """Yield the trials of the `number`th batch."""
        for position in range(BATCH_SIZE):
            trial_number = number * BATCH_SIZE + position
            yield self._draw_trial(trial_number)

    def draw_reals(self, rng: random.Random) -> dict[str, int | float]:
        """Return other values of some of the real numbers that the kernel is passed."""
        values: dict[str, int | float] = {}
        for slot in self._subject.layout.scalar_slots:
            if not slot.scalar.is_real or slot.role != "":
                continue
            if rng.random() < 0.3:
                values[slot.name] = rng.choice(_REAL_VALUES)

        return values

    def refill_buffers(self, memory: TrialMemory, rng: random.Random) -> TrialMemory:
        """Return memory of which most of what is read holds something else."""
        for index in self._read_buffers:
            if rng.random() < 0.7:
                scalar = memory.elements[index].scalar
                patterns = self._list_patterns(scalar)
                pattern = rng.choice(patterns)
                memory = memory.with_pattern(index, pattern)

        return memory

    def refill_by_type(self, memory: TrialMemory, rng: random.Random) -> TrialMemory:
        """Return memory of which all that is read holds something else.

        Buffers of one type hold the same kind of content.
        """
        pattern_of_type: dict[ScalarType, FillPattern] = {}
        for index in self._read_buffers:
            scalar = memory.elements[index].scalar
            # Drawn for each buffer, used for the first of a type: cases depend on the stream.
            patterns = self._list_patterns(scalar)
            drawn_pattern = rng.choice(patterns)
            pattern = pattern_of_type.setdefault(scalar, drawn_pattern)
            memory = memory.with_pattern(index, pattern)

        return memory

    def _draw_trial(self, number: int) -> Trial:
        # The order of draws is part of what a case is: it must not change.
        stream_seed = derive_seed(self._seed, _FIRST_STREAM + number)
        rng = random.Random(stream_seed)  # noqa: S311
        base = self._base
        grow = _draw_growth(rng)
        if grow is None:
            resized = replace(base, memory=add_headroom(base.memory))
        else:
            resized = resize_trial(self._subject, base, grow, 100 + number, self._seed)

        null_buffers: set[int] = set()
        for index in self._subject.nullable_buffers:
            if rng.random() < 0.5:
                null_buffers.add(index)

        memory = resized.memory
        # Half of the trials of unchanged sizes keep the memory that the base needs.
        if grow is None and rng.random() < 0.5:
            memory = base.memory

        memory = self.refill_buffers(memory, rng)
        modes = self._draw_modes(rng)
        modes |= self.draw_reals(rng)

        return replace(
            resized,
            memory=add_headroom(memory),
            scalar_overrides=modes,
            null_buffers=frozenset(null_buffers),
            seed=derive_seed(base.seed, number),
        )

    def _draw_modes(self, rng: random.Random) -> dict[str, int | float]:
        modes: dict[str, int | float] = {}
        for name, values in self._subject.mode_values.items():
            modes[name] = rng.choice(values)

        for name, values in self._subject.threshold_values.items():
            if rng.random() < 0.5:
                modes[name] = rng.choice(values)

        return modes

    def _list_patterns(self, scalar: ScalarType) -> Sequence[FillPattern]:
        return _REAL_PATTERNS if scalar.is_real else self._integer_patterns

    @cached_property
    def _integer_patterns(self) -> tuple[FillPattern, ...]:
        compared_values = self._subject.compared_elements
        if not compared_values:
            return _INTEGER_PATTERNS

        compared_pattern = FillPattern(Filling.COMPARED_VALUES, 4, compared_values)
        return (*_INTEGER_PATTERNS, compared_pattern)


def _draw_growth(rng: random.Random) -> GrowthRule | None:
    """Return how sizes grow; `None` where they stay as they are."""
    if rng.random() < 0.4:
        return None
    if rng.random() < 0.4:
        largest = rng.choice((1, 2, 3, 5, 9))
        return lambda value: min(value, largest)

    factor = rng.choice((0.3, 0.6, 1.4, 2.0))
    offset = rng.choice((-1, 0, 1))

    def grow(value: int) -> int:
        scaled = value
        if value >= 8:
            scaled = int(value * factor)

        return max(1, scaled + offset)

    return grow
