"""Measure how far outputs lie apart that ought to be one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crawler.validate.values.scalar_types import ScalarType, decode


@dataclass(frozen=True, slots=True)
class Deviation:
    """The largest differences between outputs that ought to be one; infinite where they are no
    neighbours.
    """

    absolute: float = 0.0
    relative: float = 0.0
    """Of the largest magnitude that the output has."""

    def combine_with(self, deviation: Deviation) -> Deviation:
        """Return what holds both."""
        absolute = max(self.absolute, deviation.absolute)
        relative = max(self.relative, deviation.relative)

        return Deviation(absolute, relative)

    @property
    def is_zero(self) -> bool:
        """Tell whether every bit is the same."""
        return self.absolute == 0.0


def measure_deviation(scalar: ScalarType, gold: bytes, content: bytes) -> Deviation:
    """Return how far `content` lies from `gold`."""
    if gold == content:
        return Deviation()
    # a whole number that differs by one may be an index: no distance is small
    if len(gold) != len(content) or not scalar.is_real:
        return Deviation(math.inf, math.inf)

    expected = decode(scalar, gold)
    distances = _list_distances(expected, decode(scalar, content))
    distance = max(distances, default=0.0)
    magnitude = find_largest_magnitude(expected)
    if magnitude:
        return Deviation(distance, distance / magnitude)

    return Deviation(distance, math.inf if distance else 0.0)


def measure_close_deviation(
    scalar: ScalarType, gold: bytes, content: bytes, max_relative: float
) -> Deviation:
    """Return how far those numbers of `content` lie from `gold` that are within `max_relative`
    of its largest magnitude.
    """
    if gold == content or len(gold) != len(content) or not scalar.is_real:
        return Deviation()

    expected = decode(scalar, gold)
    magnitude = find_largest_magnitude(expected)
    limit = max_relative * magnitude
    distances = _list_distances(expected, decode(scalar, content))
    close_distances = [distance for distance in distances if distance <= limit]
    distance = max(close_distances, default=0.0)

    relative = distance / magnitude if magnitude else 0.0

    return Deviation(distance, relative)


def find_largest_magnitude(values: Iterable[float]) -> float:
    """Return the largest magnitude among finite numbers, 0 where there are none."""
    largest = 0.0
    for value in values:
        if math.isfinite(value):
            largest = max(largest, abs(value))

    return largest


def _list_distances(expected: Sequence[float], actual: Sequence[float]) -> list[float]:
    """Return how far numbers lie apart, of those that are not the same."""
    distances: list[float] = []
    for a, b in zip(expected, actual, strict=True):
        if a != b:
            distances.append(_measure_distance(a, b))

    return distances


def _measure_distance(a: float, b: float) -> float:
    # NaN is unlike itself
    if a != a and b != b:
        return 0.0
    if not math.isfinite(a) or not math.isfinite(b):
        return math.inf

    return abs(a - b)
