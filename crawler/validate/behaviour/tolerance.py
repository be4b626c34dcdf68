"""How far a device's results may lie from the golden ones."""

from __future__ import annotations

from typing import Final

from crawler.validate.values.deviation import Deviation, find_largest_magnitude
from crawler.validate.values.scalar_types import ScalarType, decode

_SPREAD_FACTOR: Final = 4.0
"""Times the spread that was measured is allowed."""
_ROUNDING_FACTOR: Final = 16.0
"""Times a type's rounding, where a device may round otherwise than a CPU."""
_MAX_ROUNDED_MAGNITUDE: Final = 1e6
"""Numbers beyond are mostly masks, such as the lowest float: they widen no tolerance."""


def derive_tolerance(
    scalar: ScalarType, gold: bytes, deviation: Deviation
) -> tuple[float, float]:
    """Return the absolute and the relative tolerance of an output, of which `gold` is the golden
    content and `deviation` what was measured between runs.

    Whole numbers have none.
    """
    if not scalar.is_real:
        return 0.0, 0.0

    magnitude = find_largest_magnitude(decode(scalar, gold))
    relative = _ROUNDING_FACTOR * scalar.unit_roundoff
    absolute = max(
        relative * min(magnitude, _MAX_ROUNDED_MAGNITUDE),
        _SPREAD_FACTOR * deviation.absolute,
    )

    return absolute, relative
