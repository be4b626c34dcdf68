"""Values that a kernel may treat wrongly: signed zeros, infinities, NaN and extremes."""

from __future__ import annotations

import math
from typing import Final

from crawler.validate.values.scalar_types import ScalarType

# Largest finite and smallest positive values of the formats, IEEE 754 and OCP FP8.
_LARGEST: Final = {
    ScalarType.HALF: 65504.0,
    ScalarType.E4M3: 448.0,
    ScalarType.E5M2: 57344.0,
    ScalarType.DOUBLE: 1e300,
}
_SMALLEST: Final = {
    ScalarType.HALF: 6e-8,
    ScalarType.E4M3: 0.002,
    ScalarType.E5M2: 1.6e-5,
    ScalarType.DOUBLE: 5e-324,
}


def list_special_values(scalar: ScalarType) -> tuple[float, ...]:
    """Return the values of a scalar type that a kernel may treat wrongly."""
    if not scalar.is_real:
        return tuple(dict.fromkeys((0, 1, *scalar.integer_range)))

    largest = _LARGEST.get(scalar, 3e38)
    smallest = _SMALLEST.get(scalar, 1e-45)

    return (
        0.0,
        -0.0,
        math.inf,
        -math.inf,
        math.nan,
        largest,
        -largest,
        smallest,
        1.0,
        -1.0,
    )
