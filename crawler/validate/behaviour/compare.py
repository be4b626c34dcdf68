"""How far two outputs lie apart, in the terms of their type."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from crawler.validate.inputs.elements import Code, decode


@dataclass(frozen=True, slots=True)
class Spread:
    """The largest differences between outputs that ought to be one; infinite where they are no neighbours."""

    absolute: float = 0.0
    relative: float = 0.0
    """Of the largest magnitude that the output has."""

    def widened(self, other: Spread) -> Spread:
        """Return what holds both."""
        return Spread(max(self.absolute, other.absolute), max(self.relative, other.relative))

    @property
    def is_none(self) -> bool:
        """Tell whether every bit is the same."""
        return self.absolute == 0.0


def spread(code: Code, gold: bytes, other: bytes) -> Spread:
    """Return how far `other` lies from `gold`."""
    if gold == other:
        return Spread()
    if len(gold) != len(other) or not code.is_real:
        return Spread(math.inf, math.inf)
    pairs = zip(decode(code, gold), decode(code, other), strict=True)
    largest = _largest(decode(code, gold))
    apart = max((_apart(a, b) for a, b in pairs), default=0.0)
    return Spread(apart, apart / largest if largest else math.inf if apart else 0.0)


def _apart(a: float, b: float) -> float:
    if a == b or (a != a and b != b):
        return 0.0
    if not math.isfinite(a) or not math.isfinite(b):
        return math.inf
    return abs(a - b)


def _largest(values: Iterable[float]) -> float:
    return max((abs(value) for value in values if math.isfinite(value)), default=0.0)


def is_constant(code: Code, content: bytes) -> bool:
    """Tell whether all numbers of an output are one."""
    size = code.size
    first = content[:size]
    return content == first * (len(content) // size) and len(content) % size == 0
