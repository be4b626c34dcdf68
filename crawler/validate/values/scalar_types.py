"""Scalar types of buffers, with encoding and decoding: integers, IEEE floats, bfloat16 and FP8."""

from __future__ import annotations

import math
import struct
import sys
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import cache
from typing import Final

_ORDER: Final = "<" if sys.byteorder == "little" else ">"


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
        return self in _MANTISSA

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
            return -(1 << _MANTISSA[self]), 1 << _MANTISSA[self]
        if self is ScalarType.BOOL:
            return 0, 1
        bits = 8 * self.size
        return (
            (0, (1 << bits) - 1)
            if self.startswith("u")
            else (-(1 << bits - 1), (1 << bits - 1) - 1)
        )

    @property
    def unit_roundoff(self) -> float:
        """Half the distance from 1 to the next number; 0 for whole numbers."""
        return 0.5 ** (_MANTISSA[self] + 1) if self.is_real else 0.0


_MANTISSA: Final = {
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

_ARRAYS: Final = {
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


def encode(scalar: ScalarType, values: Sequence[float]) -> bytes:
    """Return numbers as they stand in memory; what is out of a code's range takes its nearest."""
    if scalar in _EIGHT_BITS:
        return bytes(_nearest(scalar, value) for value in values)
    if scalar is ScalarType.BFLOAT16:
        wide = struct.pack(
            f"{_ORDER}{len(values)}f", *(_within_float(value) for value in values)
        )
        words = struct.unpack(f"{_ORDER}{len(values)}I", wide)
        return struct.pack(
            f"{_ORDER}{len(values)}H", *(_to_bfloat16(word) for word in words)
        )
    with suppress(OverflowError, TypeError):
        if scalar in _ARRAYS:
            return array(_ARRAYS[scalar], values).tobytes()
    if scalar.is_real:
        fitted: Iterable[float] = (
            values
            if scalar is ScalarType.DOUBLE
            else (_within(scalar, value) for value in values)
        )
        return struct.pack(f"{_ORDER}{len(values)}{_FORMATS[scalar]}", *fitted)
    low, high = scalar.integer_range
    return struct.pack(
        f"{_ORDER}{len(values)}{_FORMATS[scalar]}",
        *(min(max(int(v), low), high) for v in values),
    )


def decode(scalar: ScalarType, content: bytes) -> Sequence[float]:
    """Return the numbers that stand in memory; what is left at the end is left out."""
    count = len(content) // scalar.size
    content = content[: count * scalar.size]
    if scalar in _EIGHT_BITS:
        table = _table(scalar)
        return [table[byte] for byte in content]
    if scalar is ScalarType.BFLOAT16:
        wide = bytearray(4 * count)
        wide[2::4], wide[3::4] = content[0::2], content[1::2]
        return struct.unpack(f"<{count}f", wide)
    return struct.unpack(f"{_ORDER}{count}{_FORMATS[scalar]}", content)


def _within(code: ScalarType, value: float) -> float:
    most = 65504.0 if code is ScalarType.HALF else 3.4028234663852886e38
    return value if not math.isfinite(value) else min(max(value, -most), most)


def _within_float(value: float) -> float:
    return _within(ScalarType.FLOAT, value)


def _to_bfloat16(word: int) -> int:
    if word & 0x7F800000 == 0x7F800000:
        return word >> 16 | (0x40 if word & 0x7FFFFF else 0)
    return (word + 0x7FFF + (word >> 16 & 1)) >> 16


@cache
def _table(code: ScalarType) -> tuple[float, ...]:
    """Return the value of every byte."""
    mantissa = _MANTISSA[code]
    if code in (ScalarType.E4M3FNUZ, ScalarType.E5M2FNUZ):
        bias = 8 if mantissa == 3 else 16
        return tuple(
            math.nan if byte == 0x80 else _eight_bits(byte, mantissa, bias)
            for byte in range(256)
        )
    bias = 7 if mantissa == 3 else 15
    return tuple(
        _special(code, byte) or _eight_bits(byte, mantissa, bias) for byte in range(256)
    )


def _special(code: ScalarType, byte: int) -> float:
    """Return what is no number of its own: the all-ones pattern is NaN, and only E5M2 has
    infinities; 0 for others.
    """
    if code is ScalarType.E4M3:
        return math.nan if byte & 0x7F == 0x7F else 0.0
    if (byte & 0x7F) >> 2 != 31:
        return 0.0
    return math.nan if byte & 3 else -math.inf if byte & 0x80 else math.inf


def _eight_bits(byte: int, mantissa: int, bias: int) -> float:
    sign = -1.0 if byte & 0x80 else 1.0
    exponent, fraction = (byte & 0x7F) >> mantissa, byte & (1 << mantissa) - 1
    if exponent == 0:
        return sign * fraction * 2.0 ** (1 - bias - mantissa)
    return sign * (1 + fraction / (1 << mantissa)) * 2.0 ** (exponent - bias)


@cache
def _finite(code: ScalarType) -> tuple[tuple[float, int], ...]:
    return tuple(
        sorted(
            (value, byte)
            for byte, value in enumerate(_table(code))
            if math.isfinite(value)
        )
    )


def _nearest(code: ScalarType, value: float) -> int:
    if math.isnan(value):
        return 0x80 if code in (ScalarType.E4M3FNUZ, ScalarType.E5M2FNUZ) else 0x7F
    if math.isinf(value) and code is ScalarType.E5M2:
        return 0x7C if value > 0 else 0xFC
    low, high = 0, len(_finite(code)) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (
            (middle + 1, high) if _finite(code)[middle][0] < value else (low, middle)
        )
    before = _finite(code)[max(0, low - 1)]
    return min(before, _finite(code)[low], key=lambda each: abs(each[0] - value))[1]
