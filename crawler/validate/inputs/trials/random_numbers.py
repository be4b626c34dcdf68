"""Random numbers of each filling, drawn many at once."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Mapping
from typing import Final

from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.special_values import list_special_values
from crawler.validate.values.scalar_types import ScalarType

_WORD_RANGE: Final = 1 << 32
_DATA_MAGNITUDE: Final = 100
"""Whole numbers that index nothing lie between minus and plus this many."""


def draw_numbers(
    pattern: FillPattern, scalar: ScalarType, count: int, rng: random.Random
) -> list[float]:
    """Return `count` numbers of a filling whose numbers do not depend on their position.

    Special values, compared values and data depend on the type; all others are computed from
    a random word and the bound.
    """
    match pattern.filling:
        case Filling.SPECIAL_VALUES:
            return _draw_special_values(scalar, count, rng)
        case Filling.COMPARED_VALUES:
            return _draw_compared_values(pattern, scalar, count, rng)
        case Filling.DATA:
            return _draw_data(scalar, count, rng)

    to_number = _NUMBER_OF_WORD[pattern.filling]
    # A bound beyond the type's range would wrap around, e.g. 256 in a byte.
    _, largest = scalar.integer_range
    bound = min(pattern.bound, largest + 1)
    bound = max(1, bound)

    words = _draw_words(rng, count)
    return [to_number(word, bound) for word in words]


def _draw_words(rng: random.Random, count: int) -> array[int]:
    """Return `count` random numbers of 32 bits, drawn at once."""
    return array("I", rng.randbytes(4 * count))


def _draw_compared_values(
    pattern: FillPattern, scalar: ScalarType, count: int, rng: random.Random
) -> list[float]:
    low, high = scalar.integer_range
    # 0 stands for values that the type cannot hold, such as -1 of an unsigned one.
    pool = [value for value in pattern.compared_values if low <= value <= high]
    pool = pool or [0]
    numbers: list[float] = []

    for _ in range(count):
        if rng.random() < 0.6:
            index = int(rng.random() * len(pool))
            numbers.append(pool[index])
        else:
            number = int(rng.random() * pattern.bound)
            numbers.append(number)

    return numbers


def _draw_data(scalar: ScalarType, count: int, rng: random.Random) -> list[float]:
    words = _draw_words(rng, count)
    if scalar.is_real:
        return [_round_sometimes(_bell_shaped(word), word) for word in words]
    if scalar is ScalarType.BOOL:
        return [word & 1 for word in words]

    low, high = scalar.integer_range
    # pixels and the like have all values of their type
    if scalar.size > 1:
        low = max(low, -_DATA_MAGNITUDE)
        high = min(high, _DATA_MAGNITUDE)

    number_count = high - low + 1

    return [low + word * number_count // _WORD_RANGE for word in words]


def _bell_shaped(word: int) -> float:
    """Return a number from -3 to 3, the likelier the nearer to 0: a sum of three uniform ones."""
    first = word & 1023
    second = word >> 10 & 1023
    third = word >> 20 & 1023
    total = first + second + third

    return total * (2.0 / 1023) - 3.0


def _round_sometimes(value: float, word: int) -> float:
    """Return one value in four rounded, so that some of those that are compared are equal."""
    return value if word & 3 else float(round(value))


def _draw_special_values(
    scalar: ScalarType, count: int, rng: random.Random
) -> list[float]:
    """Return data of which every third number is special: what meets it is mostly ordinary."""
    special_values = list_special_values(scalar)
    numbers: list[float] = []

    for _ in range(count):
        if rng.random() < 0.34:
            index = int(rng.random() * len(special_values))
            numbers.append(special_values[index])
        else:
            numbers += _draw_data(scalar, 1, rng)

    return numbers


def _small_integer(word: int, bound: int) -> int:
    return word * bound // _WORD_RANGE


def _count(word: int, bound: int) -> int:
    return 1 + word * max(1, bound - 1) // _WORD_RANGE


def _index_or_none(word: int, bound: int) -> int:
    return -1 if word % 5 == 0 else word * bound // _WORD_RANGE


def _bounded_real(word: int, bound: int) -> float:
    return _round_sometimes(word * bound / _WORD_RANGE, word)


def _out_of_range_real(word: int, bound: int) -> float:
    return _round_sometimes((3 * word / _WORD_RANGE - 1) * bound, word)


_NUMBER_OF_WORD: Final[Mapping[Filling, Callable[[int, int], float]]] = {
    Filling.SMALL_INTEGERS: _small_integer,
    Filling.COUNTS: _count,
    Filling.INDICES_WITH_NONE: _index_or_none,
    Filling.BOUNDED_REALS: _bounded_real,
    Filling.OUT_OF_RANGE_REALS: _out_of_range_real,
}
