"""Generate the initial contents of buffers, deterministic in the seed."""

from __future__ import annotations

import random
from array import array
from functools import lru_cache
from itertools import accumulate
from typing import Final

from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.random_numbers import draw_numbers
from crawler.validate.values.element_types import ElementType, RecordField
from crawler.validate.values.scalar_types import ScalarType, encode

_PERIOD: Final = 4_099
"""Numbers after which a large buffer begins anew: a prime, so that rows do not repeat."""
_MIN_NUMBERS: Final = 256
"""Numbers that are generated at least: while a buffer's size is sought, its content is asked
for again and again.
"""
_TABLE_NUMBERS: Final = 1 << 12
"""Numbers that a filling draws from. They are made once: to make each one anew takes longer
than a kernel runs.
"""
_TABLE_SIZE: Final = 1 << 16
"""Entries of a table, which 16 random bits index."""
_REAL_FILLINGS: Final = (
    Filling.DATA,
    Filling.BOUNDED_REALS,
    Filling.OUT_OF_RANGE_REALS,
    Filling.ASCENDING,
)
_ORDERED_FILLINGS: Final = (
    Filling.ASCENDING,
    Filling.ASCENDING_WITH_REPEATS,
    Filling.PERMUTATION,
    Filling.FORWARD_LINKS,
    Filling.PACKED_KEYS,
)
"""Fillings whose numbers depend on their position, so that they have no period."""
_KEY_HALF_BITS: Final = 32


def generate_content(
    pattern: FillPattern, element: ElementType, size: int, seed: int
) -> bytes:
    """Return `size` bytes of elements that are filled by `pattern`."""
    if pattern.filling is Filling.LAUNCHER_BYTES:
        return bytes((pattern.bound,)) * size

    if element.fields is not None:
        return _generate_records(pattern, element, element.fields, size, seed)

    # The last number may be cut: sizes in bytes come from what a run touches.
    count = -(-size // element.scalar.size)
    if pattern.filling in (Filling.ZEROS, Filling.UNLOCKED) or not count:
        return bytes(size)

    period = _PERIOD if count > _MIN_NUMBERS else _MIN_NUMBERS
    if pattern.filling in _ORDERED_FILLINGS:
        period = count

    numbers = _generate_period(pattern, element.scalar, period, seed)
    repeats = -(-size // len(numbers))

    return (numbers * repeats)[:size]


def _generate_records(
    pattern: FillPattern,
    element: ElementType,
    fields: tuple[RecordField, ...],
    size: int,
    seed: int,
) -> bytes:
    """Return structures, field by field; bytes that belong to no field are 0."""
    count = -(-size // element.size)
    records = bytearray(count * element.size)

    for number, field in enumerate(fields, 1):
        width = field.scalar.size
        field_pattern = _pattern_of_field(pattern, field.scalar)
        field_element = ElementType(field.scalar.value, width, field.scalar)
        # Each field has numbers of its own: 7919 is a prime.
        field_seed = seed + 7919 * number
        column = generate_content(
            field_pattern, field_element, count * width, field_seed
        )

        for byte in range(width):
            records[field.offset + byte :: element.size] = column[byte::width]

    return bytes(records[:size])


def _pattern_of_field(pattern: FillPattern, scalar: ScalarType) -> FillPattern:
    """Return the pattern of a structure's field: its own where it fits the field's type."""
    if pattern.filling in (Filling.ZEROS, Filling.UNLOCKED):
        return pattern

    if scalar.is_real:
        if pattern.filling in _REAL_FILLINGS:
            return pattern

        return FillPattern(Filling.BOUNDED_REALS, 4)

    # Flags and bytes: larger values would seldom mean anything.
    if scalar.size < 4:
        return FillPattern(Filling.SMALL_INTEGERS, 2)
    if pattern.filling in (*_REAL_FILLINGS, Filling.SPECIAL_VALUES):
        return FillPattern(Filling.SMALL_INTEGERS, 4)

    return pattern


@lru_cache(maxsize=256)
def _generate_period(
    pattern: FillPattern, scalar: ScalarType, count: int, seed: int
) -> bytes:
    """Return `count` numbers as they stand in memory."""
    rng = random.Random(seed)  # noqa: S311
    if pattern.filling in _ORDERED_FILLINGS:
        return encode(scalar, _draw_ordered(pattern, scalar, count, rng))

    # Drawing from a table keeps the distribution and costs one lookup a number.
    table = _number_table(pattern, scalar)
    return b"".join(map(table.__getitem__, _draw_indices(rng, count)))


def _draw_ordered(
    pattern: FillPattern, scalar: ScalarType, count: int, rng: random.Random
) -> list[float]:
    if pattern.filling is Filling.PERMUTATION:
        numbers: list[float] = list(range(count))
        rng.shuffle(numbers)

        return numbers

    if pattern.filling is Filling.FORWARD_LINKS:
        return _draw_links(pattern.bound, count, rng)

    # Strictly ascending offsets have no empty segment.
    is_strict = pattern.filling is Filling.ASCENDING
    steps = _step_table(scalar.is_real, pattern.bound, int(is_strict))
    drawn_steps = map(steps.__getitem__, _draw_indices(rng, count - 1))
    ascending = list(accumulate(drawn_steps, initial=0))

    is_key = scalar in (ScalarType.I64, ScalarType.U64)
    if pattern.filling is Filling.PACKED_KEYS and is_key:
        keys: list[float] = []
        for position, offset in enumerate(ascending):
            upper_half = int(offset) << _KEY_HALF_BITS
            keys.append(upper_half + position % 4)

        return keys

    return ascending


def _draw_links(bound: int, count: int, rng: random.Random) -> list[float]:
    links: list[float] = []
    for position, word in enumerate(_draw_indices(rng, count)):
        is_end = word & 256
        if is_end:
            links.append(-1 - word % bound)
        else:
            links.append(position + 1 + word % 2)

    return links


@lru_cache(maxsize=64)
def _number_table(pattern: FillPattern, scalar: ScalarType) -> tuple[bytes, ...]:
    """Return the numbers that a filling draws from, as they stand in memory."""
    rng = random.Random(_TABLE_NUMBERS)  # noqa: S311
    drawn_numbers = draw_numbers(pattern, scalar, _TABLE_NUMBERS, rng)
    encoded = encode(scalar, drawn_numbers)
    size = scalar.size
    numbers: list[bytes] = []

    for begin in range(0, len(encoded), size):
        end = begin + size
        numbers.append(encoded[begin:end])

    # The table is larger than what was drawn, so that any 16 bits index it.
    repeats = _TABLE_SIZE // _TABLE_NUMBERS
    return tuple(numbers) * repeats


@lru_cache(maxsize=64)
def _step_table(is_real: bool, bound: int, min_step: int) -> tuple[float, ...]:
    """Return the steps that offsets rise by."""
    rng = random.Random(_TABLE_NUMBERS)  # noqa: S311
    steps: list[float] = []

    for _ in range(_TABLE_NUMBERS):
        fraction = rng.random()
        if is_real:
            steps.append(fraction * bound)
        else:
            step_range = max(1, bound - min_step)
            steps.append(min_step + int(fraction * step_range))

    repeats = _TABLE_SIZE // _TABLE_NUMBERS
    return tuple(steps) * repeats


def _draw_indices(rng: random.Random, count: int) -> array[int]:
    """Return `count` random indices of a table, drawn at once."""
    # Whole words of 32 bits: fewer indices are the beginning of more.
    word_count = -(-count // 2)
    indices = array("H", rng.randbytes(4 * word_count))

    return indices[:count]
