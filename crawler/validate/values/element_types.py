"""Element types of buffers, resolved from the names of C++ types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from crawler.validate.values.parameter_types import ParameterType, TypeKind
from crawler.validate.values.scalar_types import ScalarType

_QUALIFIERS: Final = re.compile(
    r"\b(?:const|volatile|struct|enum|__restrict__)\b|(?<![\w:])::"
)
_COMPLEX: Final = re.compile(r"(?:\w+::)*[cC]omplex<(?P<part>.+)>")
_VECTOR: Final = re.compile(
    r"HIP_vector_type<(?P<part>[\w ]+),(?P<count>[1-9])>"
    r"|(?P<word>u?(?:char|short|int|long|longlong)|float|double)(?P<lanes>[1-4])(?:_16a|_32a)?"
)
_INTEGER: Final = re.compile(
    r"(?:(?:un)?signed )?(?P<word>char|short|int|long long|long)(?: int)?|u?int(?P<bits>8|16|32|64)_t"
)
_BYTES: Final = {"char": 1, "short": 2, "int": 4, "long": 8, "longlong": 8}
_HALVES: Final = frozenset(
    {"half", "float16", "half_raw", "fp16", "half_t", "half2", "halfx2", "half2_raw"}
)
_BRAINS: Final = frozenset(
    {"bfloat16", "bf16", "bfloat16_t", "bfloat162", "bfloat16_raw"}
)
_PAIRS: Final = frozenset(
    {"half2", "halfx2", "half2_raw", "nv_bfloat162", "hip_bfloat162", "cucomplex"}
)
_LOOKS_LIKE: Final = (
    (re.compile(r"(?i)bfloat16|bf16|nv_bfloat"), ScalarType.BFLOAT16),
    (re.compile(r"(?i)e4m3"), ScalarType.E4M3),
    (re.compile(r"(?i)e5m2"), ScalarType.E5M2),
    (re.compile(r"(?i)half|float16"), ScalarType.HALF),
    (re.compile(r"(?i)complex<double>|double\d|complex128"), ScalarType.DOUBLE),
    (
        re.compile(r"(?i)complex<float>|^float\d|cu(?:float)?complex|complex64"),
        ScalarType.FLOAT,
    ),
)
"""What the elements of a structure probably are, where its name is no type of ours."""


@dataclass(frozen=True, slots=True)
class RecordField:
    """A number in a structure."""

    name: str
    offset: int
    """Bytes from the structure's begin."""
    scalar: ScalarType


@dataclass(frozen=True, slots=True)
class ElementType:
    """The type of a buffer's elements."""

    name: str
    """Canonical."""
    size: int
    scalar: ScalarType
    """Of each number in it."""
    fields: tuple[RecordField, ...] | None = None
    """The numbers of a structure in which they are not alike, or stand beside pointers; it is
    compared byte by byte.
    """

    @property
    def lanes(self) -> int:
        """Return how many numbers it holds."""
        return max(1, self.size // self.scalar.size)


def resolve_pointee(pointer_type: ParameterType) -> ElementType | None:
    """Return what a pointer points at; `None` where its type does not say."""
    name = re.sub(
        r"\b(?:const|volatile|__restrict__|__restrict|struct)\b",
        "",
        pointer_type.type_name.rpartition("*")[0],
    ).strip()
    if (
        pointer_type.pointee_kind in (TypeKind.VOID, TypeKind.NONE)
        or not pointer_type.pointee_size
    ):
        return None
    return resolve_element_type(
        name, pointer_type.pointee_kind, pointer_type.pointee_size
    )


def resolve_element_type(name: str, kind: TypeKind, size: int) -> ElementType:
    """Return the element of a type by its name, its form and its size in bytes; a structure is
    what it looks like.
    """
    if kind in (
        TypeKind.FLOATING,
        TypeKind.BOOL,
        TypeKind.SIGNED,
        TypeKind.UNSIGNED,
        TypeKind.ENUMERATION,
    ):
        return ElementType(name, size, select_scalar_type(kind, size))
    known = _known(name, size)
    if known and size % known[0].size == 0:
        return ElementType(name, size, known[0])
    for pattern, code in _LOOKS_LIKE:
        if pattern.search(name) and size % code.size == 0:
            return ElementType(name, size, code)
    code = (
        ScalarType.FLOAT
        if size % 4 == 0
        else ScalarType.U16
        if size % 2 == 0
        else ScalarType.U8
    )
    return ElementType(name, size, code)


def parse_element_type(name: str, size: int) -> ElementType:
    """Return the element of a stored buffer by its type's name and size; what is not known is
    compared byte by byte.
    """
    known = _known(name, size)
    if known is None:
        return ElementType(name, size or 1, ScalarType.U8)
    code, lanes = known
    # a vector of three may be padded
    fits = size in (0, code.size * lanes) or (lanes == 3 and size == 4 * code.size)
    return ElementType(name, size or code.size * lanes, code if fits else ScalarType.U8)


def select_scalar_type(kind: TypeKind, size: int) -> ScalarType:
    """Return how a plain number of a form and a size in bytes stands in memory."""
    if kind is TypeKind.BOOL:
        return ScalarType.BOOL
    if kind is TypeKind.FLOATING:
        return {2: ScalarType.HALF, 4: ScalarType.FLOAT}.get(size, ScalarType.DOUBLE)
    width = 8 * (size if size in (1, 2, 4, 8) else 4)
    return ScalarType(f"{'u' if kind is TypeKind.UNSIGNED else 'i'}{width}")


@cache
def _known(name: str, size: int) -> tuple[ScalarType, int] | None:
    """Return what the numbers of a type are and how many it has; `None` for a type that is no
    number, or several.
    """
    plain = re.sub(
        r"\s*([<>,*])\s*", r"\1", " ".join(_QUALIFIERS.sub(" ", name).split())
    )
    pair = _COMPLEX.fullmatch(plain)
    if pair:
        return _times(_single(pair["part"], 0), 2)
    vector = _VECTOR.fullmatch(plain)
    if vector:
        code = _single(vector["part"], 0) if vector["part"] else _word(vector["word"])
        return _times(code, int(vector["count"] or vector["lanes"]))
    bare = plain.rpartition("::")[2].strip("_").lower()
    return _times(_single(plain, size), 2 if bare in _PAIRS else 1)


def _times(code: ScalarType | None, lanes: int) -> tuple[ScalarType, int] | None:
    return (code, lanes) if code else None


def _word(word: str) -> ScalarType:
    if word in ("float", "double"):
        return ScalarType(word)
    return select_scalar_type(
        TypeKind.UNSIGNED if word.startswith("u") else TypeKind.SIGNED,
        _BYTES[word.removeprefix("u")],
    )


def _single(name: str, size: int) -> ScalarType | None:
    if name in ("float", "double", "bool"):
        return ScalarType(name)
    whole = _INTEGER.fullmatch(name)
    if whole:
        usual = (
            int(whole["bits"]) // 8
            if whole["bits"]
            else size or _BYTES[whole["word"].replace(" ", "")]
        )
        return select_scalar_type(
            TypeKind.UNSIGNED if name.startswith("u") else TypeKind.SIGNED, usual
        )
    return _small(name.rpartition("::")[2].strip("_").lower())


def _small(bare: str) -> ScalarType | None:
    bare = re.sub(r"^(?:nv|hip)_", "", bare)
    if bare in _HALVES:
        return ScalarType.HALF
    if bare in _BRAINS:
        return ScalarType.BFLOAT16
    if bare == "cucomplex":
        return ScalarType.FLOAT
    eight = re.search(r"e4m3|e5m2", bare)
    return (
        ScalarType(f"{eight[0]}{'fnuz' if 'fnuz' in bare else ''}") if eight else None
    )
