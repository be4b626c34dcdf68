"""Variations of an ordinary trial: other sizes, special values, other grids and blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from crawler.model import CaseKind
from crawler.validate.inputs.cases.resized_trial import GrowthRule, resize_trial
from crawler.validate.inputs.ordinary.trial_subject import TrialSubject
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.informative_output import enlarge_buffers
from crawler.validate.inputs.trials.settled_trials import TrialResult
from crawler.validate.inputs.trials.trial import Trial, derive_unit_seed
from crawler.validate.inputs.trials.trial_memory import add_headroom

_EDGE_FILLINGS: Final = (
    ("gaps", Filling.SMALL_INTEGERS, Filling.INDICES_WITH_NONE),
    ("empty-segments", Filling.ASCENDING, Filling.ASCENDING_WITH_REPEATS),
    ("wide", Filling.BOUNDED_REALS, Filling.OUT_OF_RANGE_REALS),
)
"""Names of cases, with the filling that they replace and the one that they have."""
_MIN_TILE: Final = 16
"""Elements that a tile has at least."""
_LARGE_THREAD_FACTOR: Final = 4
"""Times as many threads as an ordinary case has at most."""
_BLOCK_FACTORS: Final = (2, 4, 8, 16)
_MIN_SCALED: Final = 4
_WIDE_THREAD_FACTOR: Final = 2
_WARP_THREADS: Final = 32
_SPECIAL_VALUES_SEED: Final = 77


class Variation(NamedTuple):
    """A variation of a trial that is to become a case."""

    name: str
    kind: CaseKind
    trial: Trial


def iter_variations(
    subject: TrialSubject, base: TrialResult, seed: int
) -> Iterator[Variation]:
    """Yield a variation of each kind, as far as the base has any."""
    trial = base.trial
    smallest = resize_trial(subject, trial, lambda value: min(value, 1), 1, seed)
    yield Variation("smallest", CaseKind.SMALLEST, smallest)

    # Kernels without plain data, e.g. of indices alone, have no such case.
    special = _with_special_values(trial, subject)
    if special is not None:
        yield Variation("special-values", CaseKind.SPECIAL, special)

    yield from _iter_edge_contents(base)

    ragged = resize_trial(subject, trial, _make_ragged, 2, seed)
    yield Variation("ragged", CaseKind.RAGGED, ragged)
    yield from _iter_several_blocks(subject, trial, seed)
    yield from _iter_grids(trial)
    yield Variation("one-warp", CaseKind.ONE_WARP, _with_one_warp(trial))

    large = resize_trial(subject, trial, _make_larger, 3, seed, _LARGE_THREAD_FACTOR)
    yield Variation("large", CaseKind.LARGE, large)
    hidden = resize_trial(subject, trial, _other_size_rule(9), 9, seed)
    yield Variation("hidden", CaseKind.EXTRA, hidden)


def iter_other_sizes(
    subject: TrialSubject, base: Trial, seed: int
) -> Iterator[Variation]:
    """Yield the base with various other sizes."""
    for case_number in range(4, 8):
        grow = _other_size_rule(case_number)
        trial = resize_trial(subject, base, grow, case_number, seed)
        name = f"extra-{case_number - 3}"

        yield Variation(name, CaseKind.EXTRA, trial)


def iter_same_sizes(
    subject: TrialSubject, base: Trial, seed: int
) -> Iterator[Variation]:
    """Yield the base with more tiles of the same size, then with other data and modes.

    The latter have memory as large as the base, for kernels that few sizes suit.
    """
    tiles = resize_trial(subject, base, _double_tiles, 8, seed)
    yield Variation("tiles", CaseKind.EXTRA, tiles)

    memory = enlarge_buffers(base).memory
    for case_number in range(10, 14):
        trial = resize_trial(subject, base, lambda value: value, case_number, seed)
        trial = replace(trial, memory=memory)
        name = f"other-{case_number - 9}"

        yield Variation(name, CaseKind.EXTRA, trial)


def _double_tiles(value: int) -> int:
    # The largest power of two that divides a size is the tile's size, or a multiple of it.
    largest_power = value & -value
    if largest_power < _MIN_TILE:
        return value

    return 2 * value


def _make_ragged(value: int) -> int:
    """Return an odd size: blocks, warps and tiles are even, so none of them divides it."""
    if value <= 8:
        return value

    step = 7 if value >= 100 else 0
    return (value + step) | 1


def _make_larger(value: int) -> int:
    if value >= 100:
        return value * 4

    return value * 2 if value >= 8 else value


def _other_size_rule(number: int) -> GrowthRule:
    def grow(value: int) -> int:
        if value < 8:
            return value

        scaled = value * (number + 1) // 8
        # Neighbouring cases are of other remainders, too.
        return max(1, scaled + number % 3)

    return grow


def _iter_edge_contents(base: TrialResult) -> Iterator[Variation]:
    """Yield the base with indices that mean none, empty segments, and coordinates outside."""
    trial = base.trial
    for name, ordinary_filling, edge_filling in _EDGE_FILLINGS:
        memory = trial.memory
        for index, pattern in enumerate(memory.patterns):
            if pattern.filling is not ordinary_filling:
                continue

            # An unsigned index cannot be -1.
            lowest, _ = memory.elements[index].scalar.integer_range
            is_signed = lowest < 0
            if is_signed and base.execution.accesses[index].is_input:
                edge_pattern = replace(pattern, filling=edge_filling)
                memory = memory.with_pattern(index, edge_pattern)

        if memory != trial.memory:
            yield Variation(name, CaseKind.EXTRA, replace(trial, memory=memory))


def _with_special_values(base: Trial, subject: TrialSubject) -> Trial | None:
    memory = base.memory
    for index, pattern in enumerate(memory.patterns):
        if pattern.filling is Filling.DATA:
            memory = memory.with_pattern(index, FillPattern(Filling.SPECIAL_VALUES))

    if memory == base.memory:
        return None

    seed = derive_unit_seed(subject.unit.digest, _SPECIAL_VALUES_SEED)
    return replace(
        base,
        memory=memory,
        seed=seed,
    )


def _iter_several_blocks(
    subject: TrialSubject, base: Trial, seed: int
) -> Iterator[Variation]:
    """Yield the base with sizes that take several blocks along each axis that they lengthen.

    What a block counts from its own number shows in no other case.
    """
    larger_trials = [
        resize_trial(subject, base, _scale_rule(factor), 15, seed, _WIDE_THREAD_FACTOR)
        for factor in _BLOCK_FACTORS
    ]
    largest_grid = larger_trials[-1].configuration.grid
    base_grid = base.configuration.grid
    growing_axes = [axis for axis in range(3) if largest_grid[axis] > base_grid[axis]]
    if all(base_grid[axis] > 1 for axis in growing_axes):
        return

    for trial in larger_trials:
        grid = trial.configuration.grid
        if all(grid[axis] > 1 for axis in growing_axes):
            yield Variation("several-blocks", CaseKind.EXTRA, trial)
            return


def _scale_rule(factor: int) -> GrowthRule:
    # what is less counts axes, taps and groups
    return lambda value: value * factor + 1 if value >= _MIN_SCALED else value


def _iter_grids(base: Trial) -> Iterator[Variation]:
    """Yield the base with half the blocks, then with more blocks along each axis."""
    grid = base.configuration.grid
    longest_axis = max(range(3), key=lambda axis: grid[axis])
    # Fewer blocks show whether a kernel loops over what is left.
    half = max(1, grid[longest_axis] // 2)
    if half != grid[longest_axis]:
        trial = _with_blocks(base, longest_axis, half)
        yield Variation("few-blocks", CaseKind.FEW_BLOCKS, trial)

    other_axes: list[int] = []
    for axis in range(3):
        if axis != longest_axis and grid[axis] > 1:
            other_axes.append(axis)

    for axis in (longest_axis, *other_axes):
        name = "many-blocks"
        if axis != longest_axis:
            name = f"many-blocks-{'xyz'[axis]}"

        trial = _with_blocks(base, axis, grid[axis] + 2)
        yield Variation(name, CaseKind.MANY_BLOCKS, trial)


def _with_blocks(base: Trial, axis: int, blocks: int) -> Trial:
    extents = list(base.configuration.grid)
    extents[axis] = blocks
    grid = (extents[0], extents[1], extents[2])

    return replace(
        base,
        configuration=replace(base.configuration, grid=grid),
        memory=add_headroom(base.memory),
    )


def _with_one_warp(base: Trial) -> Trial:
    block = base.configuration.block
    if math.prod(block) > _WARP_THREADS:
        block = (_WARP_THREADS, 1, 1)

    return replace(
        base,
        configuration=replace(base.configuration, block=block),
        memory=add_headroom(base.memory),
    )
