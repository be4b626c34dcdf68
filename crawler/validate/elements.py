"""What the bytes of a buffer mean: the numbers in them, by the type of its elements."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

Number = int | float
_QUALIFIERS: Final = re.compile(r"\b(?:const|volatile|struct|enum|__restrict__)\b|(?<![\w:])::")
_COMPLEX: Final = re.compile(r"(?:\w+::)*[cC]omplex<(?P<part>.+)>")
_VECTOR: Final = re.compile(
    r"(?:HIP_vector_type<(?P<part>[\w ]+),(?P<count>[1-9])>"
    r"|(?P<word>u?(?:char|short|int|long|longlong)|float|double)(?P<lanes>[1-4])(?:_16a|_32a)?)"
)
_WORDS: Final = {
    "char": "char",
    "uchar": "unsigned char",
    "short": "short",
    "ushort": "unsigned short",
    "int": "int",
    "uint": "unsigned int",
    "long": "long",
    "ulong": "unsigned long",
    "longlong": "long long",
    "ulonglong": "unsigned long long",
    "float": "float",
    "double": "double",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One number, and how it is read."""

    name: str
    size: int
    """Bytes."""
    read: Callable[[bytes], Sequence[Number]]
    is_floating: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """An element of a buffer: one number, or several of a kind."""

    scalar: Scalar
    lanes: int = 1

    @property
    def size(self) -> int:
        """Return its bytes."""
        return self.scalar.size * self.lanes


def _structured(code: str) -> Callable[[bytes], Sequence[Number]]:
    size = struct.calcsize(code)

    def read(raw: bytes) -> Sequence[Number]:
        return struct.unpack(f"<{len(raw) // size}{code}", raw[: len(raw) // size * size])

    return read


def _brain_floats(raw: bytes) -> Sequence[Number]:
    wide = bytearray(2 * (len(raw) // 2 * 2))
    wide[2::4], wide[3::4] = raw[0 : len(raw) // 2 * 2 : 2], raw[1::2]
    return struct.unpack(f"<{len(wide) // 4}f", wide)


def _eighths(table: Sequence[float]) -> Callable[[bytes], Sequence[Number]]:
    return lambda raw: [table[byte] for byte in raw]


def _small(exponent_bits: int, bias: int, *, finite: bool, unsigned_zero: bool) -> tuple[float, ...]:
    """Return the 256 values of an 8-bit float; `finite`: without infinities; `unsigned_zero`: 0x80 is its only NaN."""
    return tuple(_small_value(byte, exponent_bits, bias, finite, unsigned_zero) for byte in range(256))


def _small_value(byte: int, exponent_bits: int, bias: int, finite: bool, unsigned_zero: bool) -> float:
    mantissa_bits = 7 - exponent_bits
    sign = -1.0 if byte & 0x80 else 1.0
    exponent = (byte & 0x7F) >> mantissa_bits
    mantissa = byte & ((1 << mantissa_bits) - 1)
    top = exponent == (1 << exponent_bits) - 1
    if unsigned_zero and byte == 0x80:
        return math.nan
    if not unsigned_zero and finite and (byte & 0x7F) == 0x7F:
        return math.nan
    if not finite and top:
        return math.nan if mantissa else sign * math.inf
    fraction = mantissa / (1 << mantissa_bits) + (1 if exponent else 0)
    return sign * math.ldexp(fraction, max(exponent, 1) - bias)


_E4M3: Final = Scalar(
    name="fp8 e4m3", size=1, read=_eighths(_small(4, 7, finite=True, unsigned_zero=False)), is_floating=True
)
_E5M2: Final = Scalar(
    name="fp8 e5m2", size=1, read=_eighths(_small(5, 15, finite=False, unsigned_zero=False)), is_floating=True
)
_E4M3_AMD: Final = Scalar(
    name="fp8 e4m3fnuz", size=1, read=_eighths(_small(4, 8, finite=True, unsigned_zero=True)), is_floating=True
)
_E5M2_AMD: Final = Scalar(
    name="fp8 e5m2fnuz", size=1, read=_eighths(_small(5, 16, finite=True, unsigned_zero=True)), is_floating=True
)
_HALF: Final = Scalar(name="half", size=2, read=_structured("e"), is_floating=True)
_BRAIN: Final = Scalar(name="bfloat16", size=2, read=_brain_floats, is_floating=True)
_BYTE: Final = Scalar(name="byte", size=1, read=bytes)
_FLOAT: Final = Scalar(name="float", size=4, read=_structured("f"), is_floating=True)
_DOUBLE: Final = Scalar(name="double", size=8, read=_structured("d"), is_floating=True)
_SIGNED: Final = {
    size: Scalar(name=f"int{8 * size}", size=size, read=_structured(code))
    for size, code in ((1, "b"), (2, "h"), (4, "i"), (8, "q"))
}
_UNSIGNED: Final = {
    size: Scalar(name=f"uint{8 * size}", size=size, read=_structured(code))
    for size, code in ((1, "B"), (2, "H"), (4, "I"), (8, "Q"))
}
_INTEGERS: Final = re.compile(
    r"(?P<sign>un|)(?:signed )?(?:char|short|int|long|long long)(?: int)?|u?int(?:8|16|32|64)_t"
)


def element(name: str, size: int) -> Element:
    """Return what an element of type `name` and `size` bytes is; what is not known is compared byte by byte."""
    plain = re.sub(r"\s*([<>,*])\s*", r"\1", " ".join(_QUALIFIERS.sub(" ", name).split()))
    found = _known(plain, size)
    if found is None or (size and found.size != size):
        return Element(scalar=_BYTE, lanes=max(size, 1))
    return found


@cache
def _known(name: str, size: int) -> Element | None:
    single = _single(name, size)
    if single:
        return Element(scalar=single)
    pair = _COMPLEX.fullmatch(name)
    if pair:
        return _several(pair["part"], 2)
    vector = _VECTOR.fullmatch(name)
    if vector:
        part = vector["part"] or _WORDS[vector["word"]]
        count = int(vector["count"] or vector["lanes"])
        return _padded(_several(part, count), size)
    bare = name.rpartition("::")[2].strip("_").lower()
    if bare in ("half2", "halfx2", "half2_raw"):
        return Element(scalar=_HALF, lanes=2)
    if re.fullmatch(r"(?:nv_|hip_)?bfloat16_?2", bare) or bare == "nv_bfloat162":
        return Element(scalar=_BRAIN, lanes=2)
    return Element(scalar=_FLOAT, lanes=2) if bare == "cucomplex" else None


def _padded(found: Element | None, size: int) -> Element | None:
    """Return a vector of three with its padding, where it has one."""
    wide = found and found.lanes == 3 and size == found.size + found.scalar.size
    return Element(scalar=found.scalar, lanes=4) if found and wide else found


def _several(part: str, count: int) -> Element | None:
    single = _single(part, 0)
    return Element(scalar=single, lanes=count) if single else None


def _single(name: str, size: int) -> Scalar | None:
    if name in ("float", "double", "long double"):
        return {"float": _FLOAT, "double": _DOUBLE}.get(name)
    if name == "bool":
        return _UNSIGNED[1]
    if _INTEGERS.fullmatch(name):
        return _integer(name, size)
    return _small_float(name.rpartition("::")[2].strip("_").lower())


def _integer(name: str, size: int) -> Scalar:
    exact = re.search(r"\d+", name)
    width = int(exact[0]) // 8 if exact else size or _width(name)
    unsigned = name.startswith("u")
    return (_UNSIGNED if unsigned else _SIGNED).get(width, _BYTE)


def _width(name: str) -> int:
    return next((size for word, size in (("char", 1), ("short", 2), ("long", 8)) if word in name), 4)


def _small_float(bare: str) -> Scalar | None:
    if bare in ("half", "float16", "half_raw", "fp16", "half_t"):
        return _HALF
    if bare in ("bfloat16", "bf16", "nv_bfloat16", "hip_bfloat16", "bfloat16_t", "nv_bfloat16_raw"):
        return _BRAIN
    if "e4m3" in bare:
        return _E4M3_AMD if "fnuz" in bare else _E4M3
    if "e5m2" in bare:
        return _E5M2_AMD if "fnuz" in bare else _E5M2
    return None
