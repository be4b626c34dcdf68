"""Generate the initial contents of buffers, deterministic in the seed."""

from __future__ import annotations

import math
import random
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import accumulate
from typing import Final

from crawler.validate.values.element_types import ElementType, RecordField
from crawler.validate.values.scalar_types import ScalarType, encode


class Filling(StrEnum):
    """How a buffer is filled."""

    ZEROS = "zeros"
    DATA = "data"
    """Numbers that index nothing, negative ones among them."""
    SMALL_INTEGERS = "small"
    """Whole numbers from 0 to below a bound: indices, modes, coordinates."""
    COUNTS = "counts"
    """Whole numbers from 1 to below a bound: sizes and lengths."""
    BOUNDED_REALS = "fractions"
    """Real numbers from 0 to below a bound."""
    ASCENDING = "rising"
    """Offsets: each is more than the one before it; of real numbers, corners of boxes and
    intervals.
    """
    ASCENDING_WITH_REPEATS = "stairs"
    """Offsets of which some are the one before them: sorted indices, and segments of which some
    are empty.
    """
    COMPARED_VALUES = "pool"
    """Small whole numbers, and those that the code compares elements with."""
    PERMUTATION = "permutation"
    """0 to below the count, each once."""
    INDICES_WITH_NONE = "gaps"
    """Small whole numbers with -1 among them: indices that mean none."""
    FORWARD_LINKS = "links"
    """Of signed whole numbers: half are negative and mean an end, the others name a later
    place, as children do.
    """
    UNLOCKED = "open"
    """Zeros: locks that nobody holds."""
    PACKED_KEYS = "keys"
    """Of whole numbers of 64 bits: sorted keys, whose upper halves name a place and whose lower
    ones are small.
    """
    OUT_OF_RANGE_REALS = "wide"
    """Real numbers to both sides of a range: coordinates that lie outside."""
    SPECIAL_VALUES = "special"
    """0, -0, infinities, NaN and extremes among numbers that index nothing."""


_PERIOD: Final = 4_099
"""Numbers after which a large buffer begins anew: a prime, so that rows do not repeat."""
_BRIEF: Final = 256
"""Numbers that are drawn at least: a buffer is asked for again and again while its size is
sought.
"""
_DRAWN: Final = 1 << 12
"""Numbers that a filling draws from: made once, since to make each one anew takes longer than a
kernel runs.
"""
_PLACES: Final = 1 << 16
_OF_REALS: Final = (
    Filling.DATA,
    Filling.BOUNDED_REALS,
    Filling.OUT_OF_RANGE_REALS,
    Filling.ASCENDING,
)
_ENDLESS: Final = (
    Filling.ASCENDING,
    Filling.ASCENDING_WITH_REPEATS,
    Filling.PERMUTATION,
    Filling.FORWARD_LINKS,
    Filling.PACKED_KEYS,
)
FIXED_FILLINGS: Final = (Filling.FORWARD_LINKS, Filling.UNLOCKED)
"""In place of which anything else would lead round, or be waited for, without end."""
_HALF: Final = 32
_ONE: Final = 1 << 32
_SPREAD: Final = 100
"""Whole numbers that index nothing are drawn from twice this many."""


@dataclass(frozen=True, slots=True)
class FillPattern:
    """How one buffer is filled."""

    filling: Filling
    bound: int = 4
    compared_values: tuple[int, ...] = ()
    """Of `Filling.POOL`: the numbers that the code compares elements with."""


def generate_content(
    pattern: FillPattern, element: ElementType, size: int, seed: int
) -> bytes:
    """Return `size` bytes of elements that are filled by `pattern`."""
    if element.fields is not None:
        return _records(pattern, element, element.fields, size, seed)
    count = -(-size // element.scalar.size)
    if pattern.filling in (Filling.ZEROS, Filling.UNLOCKED) or not count:
        return bytes(size)
    once = (
        count if pattern.filling in _ENDLESS else _PERIOD if count > _BRIEF else _BRIEF
    )
    drawn = _drawn(pattern, element.scalar, once, seed)
    times = -(-size // len(drawn))
    return (drawn * times)[:size]


def _records(
    content: FillPattern,
    element: ElementType,
    fields: tuple[RecordField, ...],
    size: int,
    seed: int,
) -> bytes:
    """Return structures field by field; what is no number of theirs is 0."""
    count = -(-size // element.size)
    whole = bytearray(count * element.size)
    for number, each in enumerate(fields):
        width = each.scalar.size
        of = ElementType(each.scalar.value, width, each.scalar)
        column = generate_content(
            _of_field(content, each.scalar),
            of,
            count * width,
            seed + 7919 * (number + 1),
        )
        for byte in range(width):
            whole[each.offset + byte :: element.size] = column[byte::width]
    return bytes(whole[:size])


def _of_field(content: FillPattern, code: ScalarType) -> FillPattern:
    if content.filling in (Filling.ZEROS, Filling.UNLOCKED):
        return content
    if code.is_real:
        return (
            content
            if content.filling in _OF_REALS
            else FillPattern(Filling.BOUNDED_REALS, 4)
        )
    if code.size < 4:
        return FillPattern(Filling.SMALL_INTEGERS, 2)
    return (
        FillPattern(Filling.SMALL_INTEGERS, 4)
        if content.filling in (*_OF_REALS, Filling.SPECIAL_VALUES)
        else content
    )


@lru_cache(maxsize=256)
def _drawn(content: FillPattern, code: ScalarType, count: int, seed: int) -> bytes:
    rng = random.Random(seed)  # noqa: S311
    if content.filling in _ENDLESS:
        return encode(code, _in_order(content, code, count, rng))
    return b"".join(map(_table(content, code).__getitem__, _places(rng, count)))


def _in_order(
    content: FillPattern, code: ScalarType, count: int, rng: random.Random
) -> list[float]:
    if content.filling is Filling.PERMUTATION:
        numbers: list[float] = list(range(count))
        rng.shuffle(numbers)
        return numbers
    if content.filling is Filling.FORWARD_LINKS:
        return [
            -1 - word % content.bound if word & 256 else at + 1 + word % 2
            for at, word in enumerate(map(int, _places(rng, count)))
        ]
    steps = _steps(
        code.is_real, content.bound, int(content.filling is Filling.ASCENDING)
    )
    rising = list(
        accumulate(map(steps.__getitem__, _places(rng, count - 1)), initial=0)
    )
    if content.filling is Filling.PACKED_KEYS and code in (
        ScalarType.I64,
        ScalarType.U64,
    ):
        return [(int(place) << _HALF) + at % 4 for at, place in enumerate(rising)]
    return rising


@lru_cache(maxsize=64)
def _table(content: FillPattern, code: ScalarType) -> tuple[bytes, ...]:
    """Return the numbers that a filling draws from, as they stand in memory."""
    size, drawn = (
        code.size,
        encode(code, _numbers(content, code, _DRAWN, random.Random(_DRAWN))),  # noqa: S311
    )
    numbers = tuple(drawn[at : at + size] for at in range(0, len(drawn), size))
    return numbers * (_PLACES // _DRAWN)


@lru_cache(maxsize=64)
def _steps(is_real: bool, bound: int, least: int) -> tuple[float, ...]:
    """Return the steps that offsets rise by."""
    rng, whole = random.Random(_DRAWN), max(1, bound - least)  # noqa: S311
    steps = tuple(
        rng.random() * bound if is_real else least + int(rng.random() * whole)
        for _ in range(_DRAWN)
    )
    return steps * (_PLACES // _DRAWN)


def _places(rng: random.Random, count: int) -> array[int]:
    """Return that many places of a table, drawn at once."""
    return array("H", rng.randbytes(4 * (-(-count // 2))))[:count]


def _numbers(
    content: FillPattern, code: ScalarType, count: int, rng: random.Random
) -> list[float]:
    match content.filling:
        case Filling.SPECIAL_VALUES:
            return _special(code, count, rng)
        case Filling.COMPARED_VALUES:
            return _pooled(content, code, count, rng)
        case Filling.DATA:
            return _data(code, count, rng)
    draw = _DRAWS[content.filling]
    bound = max(1, min(content.bound, code.integer_range[1] + 1))
    return [draw(word, bound) for word in _words(rng, count)]


def _words(rng: random.Random, count: int) -> array[int]:
    """Return that many numbers of 32 bits, drawn at once."""
    return array("I", rng.randbytes(4 * count))


def _pooled(
    content: FillPattern, code: ScalarType, count: int, rng: random.Random
) -> list[float]:
    low, high = code.integer_range
    pool = [value for value in content.compared_values if low <= value <= high] or [0]
    return [
        pool[int(rng.random() * len(pool))]
        if rng.random() < 0.6
        else int(rng.random() * content.bound)
        for _ in range(count)
    ]


def _data(code: ScalarType, count: int, rng: random.Random) -> list[float]:
    words = _words(rng, count)
    if code.is_real:
        return [_sometimes_whole(_middling(word), word) for word in words]
    if code is ScalarType.BOOL:
        return [word & 1 for word in words]
    low, high = (
        max(code.integer_range[0], -_SPREAD),
        min(code.integer_range[1], _SPREAD),
    )
    return [low + word * (high - low + 1) // _ONE for word in words]


def _middling(word: int) -> float:
    """Return a number from -3 to 3, the likelier the nearer to 0."""
    return ((word & 1023) + (word >> 10 & 1023) + (word >> 20 & 1023)) * (
        2.0 / 1023
    ) - 3.0


def _sometimes_whole(value: float, word: int) -> float:
    """Return one value in four without its fraction: where numbers are compared, some are the
    same.
    """
    return value if word & 3 else float(round(value))


def _special(code: ScalarType, count: int, rng: random.Random) -> list[float]:
    """Return data of which every third number is special, so that what meets it is ordinary as
    well.
    """
    extremes = list_special_values(code)
    return [
        extremes[int(rng.random() * len(extremes))]
        if rng.random() < 0.34
        else _data(code, 1, rng)[0]
        for _ in range(count)
    ]


def list_special_values(scalar: ScalarType) -> tuple[float, ...]:
    """Return the numbers of a code that a kernel may treat wrongly."""
    if not scalar.is_real:
        return (*dict.fromkeys((0, 1, *scalar.integer_range)),)
    largest = {
        ScalarType.HALF: 65504.0,
        ScalarType.E4M3: 448.0,
        ScalarType.E5M2: 57344.0,
        ScalarType.DOUBLE: 1e300,
    }.get(scalar, 3e38)
    tiny = {
        ScalarType.HALF: 6e-8,
        ScalarType.E4M3: 0.002,
        ScalarType.E5M2: 1.6e-5,
        ScalarType.DOUBLE: 5e-324,
    }.get(scalar, 1e-45)
    return (
        0.0,
        -0.0,
        math.inf,
        -math.inf,
        math.nan,
        largest,
        -largest,
        tiny,
        1.0,
        -1.0,
    )


_DRAWS: Final[Mapping[Filling, Callable[[int, int], float]]] = {
    Filling.SMALL_INTEGERS: lambda word, bound: word * bound // _ONE,
    Filling.COUNTS: lambda word, bound: 1 + word * max(1, bound - 1) // _ONE,
    Filling.INDICES_WITH_NONE: lambda word, bound: (
        -1 if word % 5 == 0 else word * bound // _ONE
    ),
    Filling.BOUNDED_REALS: lambda word, bound: _sometimes_whole(
        word * bound / _ONE, word
    ),
    Filling.OUT_OF_RANGE_REALS: lambda word, bound: _sometimes_whole(
        (3 * word / _ONE - 1) * bound, word
    ),
}
