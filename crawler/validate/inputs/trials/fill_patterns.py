"""Patterns by which buffers are filled."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


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
    """Offsets, each more than the one before it; of real numbers, corners of boxes and
    intervals.
    """
    ASCENDING_WITH_REPEATS = "stairs"
    """Offsets of which some equal the one before: sorted indices, and empty segments."""
    COMPARED_VALUES = "pool"
    """Small whole numbers, and those that the code compares elements with."""
    PERMUTATION = "permutation"
    """0 to below the count, each once."""
    INDICES_WITH_NONE = "gaps"
    """Small whole numbers with -1 among them: indices that mean none."""
    FORWARD_LINKS = "links"
    """Signed whole numbers: half are negative and mean an end, the others name a later
    element, as the children of a tree do.
    """
    LAUNCHER_BYTES = "launcher"
    """The byte that the launcher sets all of it to, e.g. by `cudaMemset`."""
    UNLOCKED = "open"
    """Zeros: locks that nobody holds."""
    PACKED_KEYS = "keys"
    """Sorted keys of 64 bits, whose upper halves are offsets and whose lower ones are small."""
    OUT_OF_RANGE_REALS = "wide"
    """Real numbers to both sides of a range: coordinates that lie outside."""
    SPECIAL_VALUES = "special"
    """0, -0, infinities, NaN and extremes among numbers that index nothing."""


@dataclass(frozen=True, slots=True)
class FillPattern:
    """How one buffer is filled."""

    filling: Filling
    bound: int = 4
    compared_values: tuple[int, ...] = ()
    """Of `Filling.COMPARED_VALUES`: the numbers that the code compares elements with."""


FIXED_FILLINGS: Final = (
    Filling.FORWARD_LINKS,
    Filling.UNLOCKED,
    Filling.LAUNCHER_BYTES,
)
"""Fillings that nothing livelier replaces: with any other content a kernel may never end, because
links lead in a circle or a lock is never released; or it is no launch of its launcher.
"""
ZERO_PATTERN: Final = FillPattern(Filling.ZEROS)
