"""What the elements of a buffer are, by the name of their type."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from crawler.validate.numbers import Code
from crawler.validate.simt.signature import Form, ParameterType

_QUALIFIERS: Final = re.compile(r"\b(?:const|volatile|struct|enum|__restrict__)\b|(?<![\w:])::")
_COMPLEX: Final = re.compile(r"(?:\w+::)*[cC]omplex<(?P<part>.+)>")
_VECTOR: Final = re.compile(
    r"HIP_vector_type<(?P<part>[\w ]+),(?P<count>[1-9])>"
    r"|(?P<word>u?(?:char|short|int|long|longlong)|float|double)(?P<lanes>[1-4])(?:_16a|_32a)?"
)
_INTEGER: Final = re.compile(
    r"(?:(?:un)?signed )?(?P<word>char|short|int|long long|long)(?: int)?|u?int(?P<bits>8|16|32|64)_t"
)
_BYTES: Final = {"char": 1, "short": 2, "int": 4, "long": 8, "longlong": 8}
_HALVES: Final = frozenset({"half", "float16", "half_raw", "fp16", "half_t", "half2", "halfx2", "half2_raw"})
_BRAINS: Final = frozenset({"bfloat16", "bf16", "bfloat16_t", "bfloat162", "bfloat16_raw"})
_PAIRS: Final = frozenset({"half2", "halfx2", "half2_raw", "nv_bfloat162", "hip_bfloat162", "cucomplex"})
_LOOKS_LIKE: Final = (
    (re.compile(r"(?i)bfloat16|bf16|nv_bfloat"), Code.BFLOAT16),
    (re.compile(r"(?i)e4m3"), Code.E4M3),
    (re.compile(r"(?i)e5m2"), Code.E5M2),
    (re.compile(r"(?i)half|float16"), Code.HALF),
    (re.compile(r"(?i)complex<double>|double\d|complex128"), Code.DOUBLE),
    (re.compile(r"(?i)complex<float>|^float\d|cu(?:float)?complex|complex64"), Code.FLOAT),
)
"""What the elements of a structure probably are, where its name is no type of ours."""


@dataclass(frozen=True, slots=True)
class Field:
    """A number in a structure."""

    name: str
    at: int
    """Bytes from the structure's begin."""
    code: Code


@dataclass(frozen=True, slots=True)
class Element:
    """The type of a buffer's elements."""

    name: str
    """Canonical."""
    size: int
    code: Code
    """Of each number in it."""
    fields: tuple[Field, ...] | None = None
    """The numbers of a structure in which they are not alike, or stand beside pointers; it is compared byte by byte."""

    @property
    def lanes(self) -> int:
        """Return how many numbers it holds."""
        return max(1, self.size // self.code.size)


def pointee(type_: ParameterType) -> Element | None:
    """Return what a pointer points at; `None` where its type does not say."""
    name = re.sub(r"\b(?:const|volatile|__restrict__|__restrict|struct)\b", "", type_.type.rpartition("*")[0]).strip()
    if type_.pointee in (Form.VOID, Form.NONE) or not type_.pointee_size:
        return None
    return element(name, type_.pointee, type_.pointee_size)


def element(name: str, form: Form, size: int) -> Element:
    """Return the element of a type by its name, its form and its size in bytes; a structure is what it looks like."""
    if form in (Form.FLOATING, Form.BOOL, Form.SIGNED, Form.UNSIGNED, Form.ENUMERATION):
        return Element(name, size, number(form, size))
    known = _known(name, size)
    if known and size % known[0].size == 0:
        return Element(name, size, known[0])
    for pattern, code in _LOOKS_LIKE:
        if pattern.search(name) and size % code.size == 0:
            return Element(name, size, code)
    code = Code.FLOAT if size % 4 == 0 else Code.U16 if size % 2 == 0 else Code.U8
    return Element(name, size, code)


def stored_element(name: str, size: int) -> Element:
    """Return the element of a stored buffer by its type's name and size; what is not known is compared byte by byte."""
    known = _known(name, size)
    if known is None:
        return Element(name, size or 1, Code.U8)
    code, lanes = known
    # a vector of three may be padded
    fits = size in (0, code.size * lanes) or (lanes == 3 and size == 4 * code.size)
    return Element(name, size or code.size * lanes, code if fits else Code.U8)


def number(form: Form, size: int) -> Code:
    """Return how a plain number of a form and a size in bytes stands in memory."""
    if form is Form.BOOL:
        return Code.BOOL
    if form is Form.FLOATING:
        return {2: Code.HALF, 4: Code.FLOAT}.get(size, Code.DOUBLE)
    width = 8 * (size if size in (1, 2, 4, 8) else 4)
    return Code(f"{'u' if form is Form.UNSIGNED else 'i'}{width}")


@cache
def _known(name: str, size: int) -> tuple[Code, int] | None:
    """Return what the numbers of a type are and how many it has; `None` for a type that is no number, or several."""
    plain = re.sub(r"\s*([<>,*])\s*", r"\1", " ".join(_QUALIFIERS.sub(" ", name).split()))
    pair = _COMPLEX.fullmatch(plain)
    if pair:
        return _times(_single(pair["part"], 0), 2)
    vector = _VECTOR.fullmatch(plain)
    if vector:
        code = _single(vector["part"], 0) if vector["part"] else _word(vector["word"])
        return _times(code, int(vector["count"] or vector["lanes"]))
    bare = plain.rpartition("::")[2].strip("_").lower()
    return _times(_single(plain, size), 2 if bare in _PAIRS else 1)


def _times(code: Code | None, lanes: int) -> tuple[Code, int] | None:
    return (code, lanes) if code else None


def _word(word: str) -> Code:
    if word in ("float", "double"):
        return Code(word)
    return number(Form.UNSIGNED if word.startswith("u") else Form.SIGNED, _BYTES[word.removeprefix("u")])


def _single(name: str, size: int) -> Code | None:
    if name in ("float", "double", "bool"):
        return Code(name)
    whole = _INTEGER.fullmatch(name)
    if whole:
        usual = int(whole["bits"]) // 8 if whole["bits"] else size or _BYTES[whole["word"].replace(" ", "")]
        return number(Form.UNSIGNED if name.startswith("u") else Form.SIGNED, usual)
    return _small(name.rpartition("::")[2].strip("_").lower())


def _small(bare: str) -> Code | None:
    bare = re.sub(r"^(?:nv|hip)_", "", bare)
    if bare in _HALVES:
        return Code.HALF
    if bare in _BRAINS:
        return Code.BFLOAT16
    if bare == "cucomplex":
        return Code.FLOAT
    eight = re.search(r"e4m3|e5m2", bare)
    return Code(f"{eight[0]}{'fnuz' if 'fnuz' in bare else ''}") if eight else None
