"""Floats of eight bits: the value of each byte, and the byte nearest to a value.

A form is `e4m3` or `e5m2` of the OCP, or one of AMD's, `e4m3fnuz` and `e5m2fnuz`, with one NaN, no
negative zero and another bias.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Final

_MANTISSA_BITS: Final = {"e4m3": 3, "e5m2": 2, "e4m3fnuz": 3, "e5m2fnuz": 2}
_FNUZ: Final = ("e4m3fnuz", "e5m2fnuz")
_FNUZ_NAN: Final = 0x80


@cache
def list_byte_values(form: str) -> tuple[float, ...]:
    """Return the value of every byte.

    Source: OCP 8-bit Floating Point Specification 1.0; of the `fnuz` forms, with a bias one
    larger, "8-bit Numerical Formats for Deep Neural Networks" (Noune et al.).
    """
    mantissa_bits = _MANTISSA_BITS[form]
    bias = 7 if mantissa_bits == 3 else 15
    if form in _FNUZ:
        bias += 1

    values: list[float] = []

    for byte in range(256):
        special = _special_value(form, byte)
        values.append(special or _decode_eight_bits(byte, mantissa_bits, bias))

    return tuple(values)


def _special_value(form: str, byte: int) -> float:
    """Return what is no number of its own: the all-ones pattern is NaN, and only E5M2 has
    infinities; 0 for others.
    """
    if form in _FNUZ:
        return math.nan if byte == _FNUZ_NAN else 0.0

    magnitude = byte & 0x7F
    if form == "e4m3":
        return math.nan if magnitude == 0x7F else 0.0

    # Of E5M2 the largest exponent is that of no number.
    exponent = magnitude >> 2
    fraction = byte & 3
    if exponent != 31:
        return 0.0
    if fraction:
        return math.nan

    return -math.inf if byte & 0x80 else math.inf


def _decode_eight_bits(byte: int, mantissa_bits: int, bias: int) -> float:
    sign = -1.0 if byte & 0x80 else 1.0
    exponent = (byte & 0x7F) >> mantissa_bits
    steps = 1 << mantissa_bits
    fraction = byte & (steps - 1)
    # Subnormal numbers have no leading one.
    if exponent == 0:
        unit = 2.0 ** (1 - bias - mantissa_bits)
        return sign * fraction * unit

    significand = 1 + fraction / steps
    scale = 2.0 ** (exponent - bias)

    return sign * significand * scale


@cache
def _finite_values(form: str) -> tuple[tuple[float, int], ...]:
    """Return the finite values with their bytes, from the smallest to the largest."""
    finite: list[tuple[float, int]] = []
    for byte, value in enumerate(list_byte_values(form)):
        if math.isfinite(value):
            finite.append((value, byte))

    return tuple(sorted(finite))


def find_nearest_byte(form: str, value: float) -> int:
    """Return the byte whose value is nearest."""
    if math.isnan(value):
        return _FNUZ_NAN if form in _FNUZ else 0x7F
    if math.isinf(value) and form == "e5m2":
        return 0x7C if value > 0 else 0xFC

    finite = _finite_values(form)
    # far beyond the largest number, all numbers are equally far away
    smallest_value, _ = finite[0]
    largest_value, _ = finite[-1]
    value = min(max(value, smallest_value), largest_value)

    # the first that is not smaller, or the last of all
    low = 0
    high = len(finite) - 1

    while low < high:
        middle = (low + high) // 2
        if finite[middle][0] < value:
            low = middle + 1
        else:
            high = middle

    value_below, byte_below = finite[max(0, low - 1)]
    value_above, byte_above = finite[low]
    distance_below = abs(value_below - value)
    distance_above = abs(value_above - value)

    return byte_below if distance_below <= distance_above else byte_above
