"""Other contents of buffers to try, the most promising first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crawler.validate.emulator.execution_report import Execution
from crawler.validate.inputs.trials.fill_patterns import (
    FIXED_FILLINGS,
    ZERO_PATTERN,
    Filling,
    FillPattern,
)
from crawler.validate.inputs.trials.initial_patterns import (
    COUNT_PATTERN,
    FRACTION_PATTERN,
    SMALL_PATTERN,
)
from crawler.validate.inputs.trials.trial_memory import TrialMemory
from crawler.validate.values.scalar_types import ScalarType

DATA_PATTERN: Final = FillPattern(Filling.DATA)
_PERMUTATION: Final = FillPattern(Filling.PERMUTATION)
_UNIT_FRACTIONS: Final = FillPattern(Filling.BOUNDED_REALS, 1)
_INTEGER_PATTERNS: Final = (
    SMALL_PATTERN,
    COUNT_PATTERN,
    FillPattern(Filling.ASCENDING, 3),
    _PERMUTATION,
    ZERO_PATTERN,
)
_REAL_PATTERNS: Final = (
    FRACTION_PATTERN,
    _UNIT_FRACTIONS,
    FillPattern(Filling.ASCENDING, 2),
    DATA_PATTERN,
)


def iter_repaired_contents(
    memory: TrialMemory, execution: Execution
) -> Iterator[TrialMemory]:
    """Yield other ways to fill the memory of a run that has problems.

    Permutations cure races of indices, zeros accesses out of bounds, and repeated offsets
    segments that are too long.
    """
    integer_buffers = _list_repairable_integers(memory)
    index_buffers = [
        index for index in integer_buffers if _may_be_input(execution, index)
    ]
    # Counters of atomics start from 0 as a rule, and not from a permutation.
    plain_index_buffers = [
        index for index in index_buffers if not has_atomic_access(execution, index)
    ]
    yield memory.with_patterns(index_buffers, _PERMUTATION)
    yield memory.with_patterns(plain_index_buffers, _PERMUTATION)
    yield memory.with_patterns(index_buffers, ZERO_PATTERN)
    yield memory.with_patterns(
        index_buffers, FillPattern(Filling.ASCENDING_WITH_REPEATS, 3)
    )

    binary_memory = memory.with_patterns(
        index_buffers, FillPattern(Filling.SMALL_INTEGERS, 2)
    )
    yield binary_memory

    for index in index_buffers:
        yield memory.with_pattern(index, _PERMUTATION)
        yield memory.with_pattern(index, ZERO_PATTERN)
        yield binary_memory.with_pattern(index, _PERMUTATION)

    real_buffers = [
        index for index, element in enumerate(memory.elements) if element.scalar.is_real
    ]
    yield memory.with_patterns(real_buffers, ZERO_PATTERN)
    yield memory.with_patterns(real_buffers, _UNIT_FRACTIONS)
    yield memory.with_patterns(range(len(memory.patterns)), ZERO_PATTERN)


def iter_livelier_contents(
    memory: TrialMemory, execution: Execution, compared_values: tuple[int, ...]
) -> Iterator[TrialMemory]:
    """Yield ways to fill what a run reads so that it does more.

    Fewer segments are empty, fewer ranges closed or reversed, and more comparisons hold.
    """
    read_buffers = [
        index
        for index, access in enumerate(execution.accesses)
        if access.is_input and memory.patterns[index].filling not in FIXED_FILLINGS
    ]

    real_buffers = [
        index for index in read_buffers if memory.elements[index].scalar.is_real
    ]
    integer_buffers = [index for index in read_buffers if index not in real_buffers]
    # Branches such as `if (mask[i] == 3)` are taken by few other numbers.
    compared_pattern = FillPattern(Filling.COMPARED_VALUES, 4, compared_values)

    for index in integer_buffers:
        # Any smaller number of 64 bits has the same upper half.
        if memory.elements[index].scalar in (ScalarType.I64, ScalarType.U64):
            yield memory.with_pattern(index, FillPattern(Filling.PACKED_KEYS, 2))

    # Each kind of indices with each kind of data.
    for integer_pattern in _INTEGER_PATTERNS:
        integer_memory = memory.with_patterns(integer_buffers, integer_pattern)
        for real_pattern in _REAL_PATTERNS:
            yield integer_memory.with_patterns(real_buffers, real_pattern)

    for index in read_buffers:
        yield memory.with_pattern(index, FillPattern(Filling.ASCENDING, 2))
        if compared_values and index in integer_buffers:
            yield memory.with_pattern(index, compared_pattern)

    if compared_values:
        yield memory.with_patterns(integer_buffers, compared_pattern)


def has_atomic_access(execution: Execution, buffer_index: int) -> bool:
    """Tell whether atomics touch a buffer."""
    if buffer_index >= len(execution.accesses):
        return False

    return execution.accesses[buffer_index].is_atomic


def _list_repairable_integers(memory: TrialMemory) -> list[int]:
    buffers: list[int] = []
    for index, (pattern, element) in enumerate(
        zip(memory.patterns, memory.elements, strict=True)
    ):
        # Whatever else stands in a lock is waited for without end.
        if pattern.filling is Filling.UNLOCKED:
            continue
        if element.scalar.is_real or element.scalar is ScalarType.BOOL:
            continue

        buffers.append(index)

    return buffers


def _may_be_input(execution: Execution, buffer_index: int) -> bool:
    """Tell whether a buffer is read; of a run that ended early nothing is known."""
    if buffer_index >= len(execution.accesses):
        return True

    return execution.accesses[buffer_index].is_input
