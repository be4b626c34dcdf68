"""What the elements of a buffer are, and how their values stand in memory."""

from __future__ import annotations

import math
import re
import struct
import sys
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from crawler.validate.simt.signature import Form, ParameterType

_ORDER: Final = "<" if sys.byteorder == "little" else ">"


class Code(StrEnum):
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
    def range(self) -> tuple[int, int]:
        """Smallest and largest whole number; of a real one those that it holds exactly and comfortably."""
        if self.is_real:
            return -(1 << _MANTISSA[self]), 1 << _MANTISSA[self]
        if self is Code.BOOL:
            return 0, 1
        bits = 8 * self.size
        return (0, (1 << bits) - 1) if self.startswith("u") else (-(1 << bits - 1), (1 << bits - 1) - 1)

    @property
    def epsilon(self) -> float:
        """Half the distance from 1 to the next number; 0 for whole numbers."""
        return 0.5 ** (_MANTISSA[self] + 1) if self.is_real else 0.0


_MANTISSA: Final = {
    Code.E4M3: 3,
    Code.E5M2: 2,
    Code.HALF: 10,
    Code.BFLOAT16: 7,
    Code.FLOAT: 23,
    Code.DOUBLE: 52,
}
_BYTES: Final = {
    Code.BOOL: 1,
    Code.I8: 1,
    Code.U8: 1,
    Code.I16: 2,
    Code.U16: 2,
    Code.I32: 4,
    Code.U32: 4,
    Code.I64: 8,
    Code.U64: 8,
    Code.E4M3: 1,
    Code.E5M2: 1,
    Code.HALF: 2,
    Code.BFLOAT16: 2,
    Code.FLOAT: 4,
    Code.DOUBLE: 8,
}
_FORMATS: Final = {
    Code.BOOL: "B",
    Code.I8: "b",
    Code.U8: "B",
    Code.I16: "h",
    Code.U16: "H",
    Code.I32: "i",
    Code.U32: "I",
    Code.I64: "q",
    Code.U64: "Q",
    Code.HALF: "e",
    Code.FLOAT: "f",
    Code.DOUBLE: "d",
}

_ARRAYS: Final = {Code.FLOAT: "f", Code.DOUBLE: "d", Code.I32: "i", Code.U32: "I", Code.I64: "q", Code.U64: "Q"}
"""Where the words of this machine are those of a device, and a list goes in one step."""


@dataclass(frozen=True, slots=True)
class Element:
    """The type of a buffer's elements."""

    name: str
    """Canonical."""
    size: int
    code: Code
    """Of each number in it."""


_SMALL_FLOATS: Final = (
    (re.compile(r"(?i)bfloat16|bf16|nv_bfloat"), Code.BFLOAT16, 2),
    (re.compile(r"(?i)e4m3"), Code.E4M3, 1),
    (re.compile(r"(?i)e5m2"), Code.E5M2, 1),
    (re.compile(r"(?i)half|float16"), Code.HALF, 2),
    (re.compile(r"(?i)complex<double>|double\d|complex128"), Code.DOUBLE, 8),
    (re.compile(r"(?i)complex<float>|^float\d|cu(?:float)?complex|complex64"), Code.FLOAT, 4),
)
_VECTOR: Final = re.compile(r"^(u?)(char|short|int|long|longlong)([1-4])$")
_WORDS: Final = {"char": 1, "short": 2, "int": 4, "long": 8, "longlong": 8}


def pointee(type_: ParameterType) -> Element | None:
    """Return what a pointer points at; `None` where its type does not say."""
    name = re.sub(r"\b(?:const|volatile|__restrict__|__restrict|struct)\b", "", type_.type.rpartition("*")[0]).strip()
    if type_.pointee in (Form.VOID, Form.NONE) or not type_.pointee_size:
        return None
    return element(name, type_.pointee, type_.pointee_size)


def element(name: str, form: Form, size: int) -> Element:
    """Return the element of a type by its name, its form and its size in bytes."""
    if form in (Form.FLOATING, Form.BOOL, Form.SIGNED, Form.UNSIGNED, Form.ENUMERATION):
        return Element(name, size, number(form, size))
    for pattern, code, width in _SMALL_FLOATS:
        if pattern.search(name) and size % width == 0:
            return Element(name, size, code)
    vector = _VECTOR.match(name)
    if vector:
        return Element(name, size, number(Form.UNSIGNED if vector[1] else Form.SIGNED, _WORDS[vector[2]]))
    code = Code.FLOAT if size % 4 == 0 else Code.U16 if size % 2 == 0 else Code.U8
    return Element(name, size, code)


def number(form: Form, size: int) -> Code:
    """Return how a plain number of a form and a size in bytes stands in memory."""
    if form is Form.BOOL:
        return Code.BOOL
    if form is Form.FLOATING:
        return {2: Code.HALF, 4: Code.FLOAT}.get(size, Code.DOUBLE)
    width = 8 * (size if size in (1, 2, 4, 8) else 4)
    return Code(f"{'u' if form is Form.UNSIGNED else 'i'}{width}")


def encode(code: Code, values: Sequence[float]) -> bytes:
    """Return numbers as they stand in memory; what is out of a code's range takes its nearest."""
    if code in (Code.E4M3, Code.E5M2):
        return bytes(_nearest(code, value) for value in values)
    if code is Code.BFLOAT16:
        wide = struct.pack(f"{_ORDER}{len(values)}f", *(_within_float(value) for value in values))
        words = struct.unpack(f"{_ORDER}{len(values)}I", wide)
        return struct.pack(f"{_ORDER}{len(values)}H", *(_to_bfloat16(word) for word in words))
    with suppress(OverflowError, TypeError):
        if code in _ARRAYS:
            return array(_ARRAYS[code], values).tobytes()
    if code.is_real:
        fitted: Iterable[float] = values if code is Code.DOUBLE else (_within(code, value) for value in values)
        return struct.pack(f"{_ORDER}{len(values)}{_FORMATS[code]}", *fitted)
    low, high = code.range
    return struct.pack(f"{_ORDER}{len(values)}{_FORMATS[code]}", *(min(max(int(v), low), high) for v in values))


def decode(code: Code, content: bytes) -> Sequence[float]:
    """Return the numbers that stand in memory; what is left at the end is left out."""
    count = len(content) // code.size
    content = content[: count * code.size]
    if code in (Code.E4M3, Code.E5M2):
        table = _table(code)
        return [table[byte] for byte in content]
    if code is Code.BFLOAT16:
        words = struct.unpack(f"{_ORDER}{count}H", content)
        return struct.unpack(f"{_ORDER}{count}f", struct.pack(f"{_ORDER}{count}I", *(word << 16 for word in words)))
    return struct.unpack(f"{_ORDER}{count}{_FORMATS[code]}", content)


def _within(code: Code, value: float) -> float:
    most = 65504.0 if code is Code.HALF else 3.4028234663852886e38
    return value if not math.isfinite(value) else min(max(value, -most), most)


def _within_float(value: float) -> float:
    return _within(Code.FLOAT, value)


def _to_bfloat16(word: int) -> int:
    if word & 0x7F800000 == 0x7F800000:
        return word >> 16 | (0x40 if word & 0x7FFFFF else 0)
    return (word + 0x7FFF + (word >> 16 & 1)) >> 16


@cache
def _table(code: Code) -> tuple[float, ...]:
    """Return the value of every byte: the all-ones pattern is NaN, and only E5M2 has infinities."""
    mantissa, bias = (3, 7) if code is Code.E4M3 else (2, 15)
    return tuple(_eight_bits(byte, mantissa, bias, code is Code.E5M2) for byte in range(256))


def _eight_bits(byte: int, mantissa: int, bias: int, infinite: bool) -> float:
    sign = -1.0 if byte & 0x80 else 1.0
    exponent, fraction = (byte & 0x7F) >> mantissa, byte & (1 << mantissa) - 1
    if infinite and exponent == 31:
        return math.nan if fraction else sign * math.inf
    if not infinite and byte & 0x7F == 0x7F:
        return math.nan
    if exponent == 0:
        return sign * fraction * 2.0 ** (1 - bias - mantissa)
    return sign * (1 + fraction / (1 << mantissa)) * 2.0 ** (exponent - bias)


@cache
def _finite(code: Code) -> tuple[tuple[float, int], ...]:
    return tuple(sorted((value, byte) for byte, value in enumerate(_table(code)) if math.isfinite(value)))


def _nearest(code: Code, value: float) -> int:
    if math.isnan(value):
        return 0x7F
    if math.isinf(value) and code is Code.E5M2:
        return 0x7C if value > 0 else 0xFC
    low, high = 0, len(_finite(code)) - 1
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if _finite(code)[middle][0] < value else (low, middle)
    before = _finite(code)[max(0, low - 1)]
    return min(before, _finite(code)[low], key=lambda each: abs(each[0] - value))[1]
