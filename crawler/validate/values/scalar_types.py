"""Scalar types of buffers, with encoding and decoding: integers, IEEE floats, bfloat16 and FP8."""

from __future__ import annotations

import math
import struct
import sys
from array import array
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from typing import Final

from crawler.validate.values.eight_bit_floats import (
    find_nearest_byte,
    list_byte_values,
)

_BYTE_ORDER: Final = "<" if sys.byteorder == "little" else ">"


class ScalarType(StrEnum):
    """How one number stands in memory."""

    BOOL = "bool"
    I8 = "i8"
    U8 = "u8"
    I16 = "i16"
    U16 = "u16"
    I32 = "i32"
    U32 = "u32"
    I64 = "i64"
    U64 = "u64"
    E4M3 = "e4m3"
    E5M2 = "e5m2"
    E4M3FNUZ = "e4m3fnuz"
    """AMD's: one NaN, no negative zero, another bias."""
    E5M2FNUZ = "e5m2fnuz"
    HALF = "half"
    BFLOAT16 = "bfloat16"
    FLOAT = "float"
    DOUBLE = "double"

    @property
    def is_real(self) -> bool:
        """Tell whether it has fractions."""
        return self in _MANTISSA_BITS

    @property
    def size(self) -> int:
        """Bytes."""
        return _BYTES[self]

    @property
    def integer_range(self) -> tuple[int, int]:
        """Smallest and largest whole number; of a real one those that it holds exactly and
        comfortably.
        """
        if self.is_real:
            largest = 1 << _MANTISSA_BITS[self]
            return -largest, largest

        if self is ScalarType.BOOL:
            return 0, 1

        bits = 8 * self.size
        if self.startswith("u"):
            return 0, (1 << bits) - 1

        limit = 1 << (bits - 1)
        return -limit, limit - 1

    @property
    def unit_roundoff(self) -> float:
        """Half the distance from 1 to the next number; 0 for whole numbers."""
        if not self.is_real:
            return 0.0

        return 0.5 ** (_MANTISSA_BITS[self] + 1)


_MANTISSA_BITS: Final = {
    ScalarType.E4M3: 3,
    ScalarType.E5M2: 2,
    ScalarType.E4M3FNUZ: 3,
    ScalarType.E5M2FNUZ: 2,
    ScalarType.HALF: 10,
    ScalarType.BFLOAT16: 7,
    ScalarType.FLOAT: 23,
    ScalarType.DOUBLE: 52,
}
_BYTES: Final = {
    ScalarType.BOOL: 1,
    ScalarType.I8: 1,
    ScalarType.U8: 1,
    ScalarType.I16: 2,
    ScalarType.U16: 2,
    ScalarType.I32: 4,
    ScalarType.U32: 4,
    ScalarType.I64: 8,
    ScalarType.U64: 8,
    ScalarType.E4M3: 1,
    ScalarType.E5M2: 1,
    ScalarType.E4M3FNUZ: 1,
    ScalarType.E5M2FNUZ: 1,
    ScalarType.HALF: 2,
    ScalarType.BFLOAT16: 2,
    ScalarType.FLOAT: 4,
    ScalarType.DOUBLE: 8,
}
_FORMATS: Final = {
    ScalarType.BOOL: "B",
    ScalarType.I8: "b",
    ScalarType.U8: "B",
    ScalarType.I16: "h",
    ScalarType.U16: "H",
    ScalarType.I32: "i",
    ScalarType.U32: "I",
    ScalarType.I64: "q",
    ScalarType.U64: "Q",
    ScalarType.HALF: "e",
    ScalarType.FLOAT: "f",
    ScalarType.DOUBLE: "d",
}

_ARRAY_CODES: Final = {
    ScalarType.FLOAT: "f",
    ScalarType.DOUBLE: "d",
    ScalarType.I32: "i",
    ScalarType.U32: "I",
    ScalarType.I64: "q",
    ScalarType.U64: "Q",
}
"""Where the words of this machine are those of a device, and a list goes in one step."""
_EIGHT_BITS: Final = (
    ScalarType.E4M3,
    ScalarType.E5M2,
    ScalarType.E4M3FNUZ,
    ScalarType.E5M2FNUZ,
)
_MAX_HALF: Final = 65504.0
_MAX_FLOAT: Final = 3.4028234663852886e38


def encode(scalar: ScalarType, values: Sequence[float]) -> bytes:
    """Return numbers as they stand in memory; what is out of a code's range takes its nearest."""
    if scalar in _EIGHT_BITS:
        return bytes(find_nearest_byte(scalar, value) for value in values)
    if scalar is ScalarType.BFLOAT16:
        return _encode_bfloat16(values)

    # the quick way for what fits: out of range, or a float for an integer, is clamped below
    with suppress(OverflowError, TypeError):
        if scalar in _ARRAY_CODES:
            return array(_ARRAY_CODES[scalar], values).tobytes()

    layout = f"{_BYTE_ORDER}{len(values)}{_FORMATS[scalar]}"
    if scalar is ScalarType.DOUBLE:
        return struct.pack(layout, *values)
    if scalar.is_real:
        clamped = [_clamp(scalar, value) for value in values]
        return struct.pack(layout, *clamped)

    low, high = scalar.integer_range
    integers = [min(max(int(value), low), high) for value in values]

    return struct.pack(layout, *integers)


def _encode_bfloat16(values: Sequence[float]) -> bytes:
    count = len(values)
    floats = [_clamp(ScalarType.FLOAT, value) for value in values]
    packed = struct.pack(f"{_BYTE_ORDER}{count}f", *floats)
    words = struct.unpack(f"{_BYTE_ORDER}{count}I", packed)
    rounded = [_round_to_bfloat16(word) for word in words]

    return struct.pack(f"{_BYTE_ORDER}{count}H", *rounded)


def decode(scalar: ScalarType, content: bytes) -> Sequence[float]:
    """Return the numbers that stand in memory; what is left at the end is left out."""
    count = len(content) // scalar.size
    content = content[: count * scalar.size]
    if scalar in _EIGHT_BITS:
        table = list_byte_values(scalar)
        return [table[byte] for byte in content]

    if scalar is ScalarType.BFLOAT16:
        # the upper half of a float of 32 bits
        wide = bytearray(4 * count)
        wide[2::4] = content[0::2]
        wide[3::4] = content[1::2]

        return struct.unpack(f"<{count}f", wide)

    return struct.unpack(f"{_BYTE_ORDER}{count}{_FORMATS[scalar]}", content)


def _clamp(scalar: ScalarType, value: float) -> float:
    if not math.isfinite(value):
        return value

    largest = _MAX_HALF if scalar is ScalarType.HALF else _MAX_FLOAT
    return min(max(value, -largest), largest)


def _round_to_bfloat16(word: int) -> int:
    """Return the bfloat16 nearest to a float's word, ties to even."""
    if word & 0x7F800000 == 0x7F800000:
        # infinite, or NaN, which must not lose its only bits
        quiet_bit = 0x40 if word & 0x7FFFFF else 0
        return word >> 16 | quiet_bit

    return (word + 0x7FFF + (word >> 16 & 1)) >> 16
