"""Element types of buffers, resolved from the names of C++ types."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from crawler.validate.values.parameter_types import ParameterType, TypeKind
from crawler.validate.values.scalar_types import ScalarType

# The names are a compiler's spelling of canonical types, or a model's: no unit to parse them in
_QUALIFIERS: Final = re.compile(
    r"\b(?:const|volatile|struct|enum|__restrict__)\b|(?<![\w:])::"
)
_POINTEE_QUALIFIERS: Final = re.compile(
    r"\b(?:const|volatile|__restrict__|__restrict|struct)\b"
)
_SIGN_SPACES: Final = re.compile(r"\s*([<>,*])\s*")
_COMPLEX: Final = re.compile(r"(?:\w+::)*[cC]omplex<(?P<part>.+)>")
_VECTOR: Final = re.compile(
    r"HIP_vector_type<(?P<part>[\w ]+),(?P<count>[1-9])>"
    r"|(?P<word>u?(?:char|short|int|long|longlong)|float|double)(?P<lanes>[1-4])(?:_16a|_32a)?"
)
# one word of such a type
_INTEGER: Final = re.compile(
    r"(?:(?:un)?signed )?(?P<word>char|short|int|long long|long)(?: int)?"
    r"|u?int(?P<bits>8|16|32|64)_t"
)
_EIGHT_BIT_FLOAT: Final = re.compile(r"e4m3|e5m2")
_VENDOR_PREFIX: Final = re.compile(r"^(?:nv|hip)_")
_INTEGER_BYTES: Final = {"char": 1, "short": 2, "int": 4, "long": 8, "longlong": 8}
_HALF_NAMES: Final = frozenset(
    {"half", "float16", "half_raw", "fp16", "half_t", "half2", "halfx2", "half2_raw"}
)
_BFLOAT16_NAMES: Final = frozenset(
    {"bfloat16", "bf16", "bfloat16_t", "bfloat162", "bfloat16_raw"}
)
_PAIR_NAMES: Final = frozenset(
    {"half2", "halfx2", "half2_raw", "nv_bfloat162", "hip_bfloat162", "cucomplex"}
)
_PROBABLE_SCALARS: Final = (
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
_PLAIN_NUMBERS: Final = (
    TypeKind.FLOATING,
    TypeKind.BOOL,
    TypeKind.SIGNED,
    TypeKind.UNSIGNED,
    TypeKind.ENUMERATION,
)


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
    if pointer_type.pointee_kind in (TypeKind.VOID, TypeKind.NONE):
        return None
    if not pointer_type.pointee_size:
        return None

    pointee_name = pointer_type.type_name.rpartition("*")[0]

    return resolve_element_type(
        _POINTEE_QUALIFIERS.sub("", pointee_name).strip(),
        pointer_type.pointee_kind,
        pointer_type.pointee_size,
    )


def resolve_element_type(name: str, kind: TypeKind, size: int) -> ElementType:
    """Return the element of a type by its name, its form and its size in bytes; a structure is
    what it looks like.
    """
    if kind in _PLAIN_NUMBERS:
        return ElementType(name, size, select_scalar_type(kind, size))

    number_type = _resolve_numbers(name, size)
    if number_type:
        scalar, _ = number_type
        if size % scalar.size == 0:
            return ElementType(name, size, scalar)

    # e.g. `at::Half4`, `struct alignas(8) bf16x4`
    for pattern, scalar in _PROBABLE_SCALARS:
        if pattern.search(name) and size % scalar.size == 0:
            return ElementType(name, size, scalar)

    return ElementType(name, size, _select_by_size(size))


def _select_by_size(size: int) -> ScalarType:
    if size % 4 == 0:
        return ScalarType.FLOAT

    return ScalarType.U16 if size % 2 == 0 else ScalarType.U8


def parse_element_type(name: str, size: int) -> ElementType:
    """Return the element of a stored buffer by its type's name and size; what is not known is
    compared byte by byte.
    """
    number_type = _resolve_numbers(name, size)
    if number_type is None:
        return ElementType(name, size or 1, ScalarType.U8)

    scalar, lanes = number_type
    # a vector of three may be padded
    is_padded = lanes == 3 and size == 4 * scalar.size
    usual_size = scalar.size * lanes
    if not is_padded and size not in (0, usual_size):
        scalar = ScalarType.U8

    return ElementType(name, size or usual_size, scalar)


def select_scalar_type(kind: TypeKind, size: int) -> ScalarType:
    """Return how a plain number of a form and a size in bytes stands in memory."""
    if kind is TypeKind.BOOL:
        return ScalarType.BOOL
    if kind is TypeKind.FLOATING:
        real_types = {2: ScalarType.HALF, 4: ScalarType.FLOAT}
        return real_types.get(size, ScalarType.DOUBLE)

    # What has another size, such as a bit field, is taken for an `int`.
    integer_size = size if size in (1, 2, 4, 8) else 4
    bits = 8 * integer_size
    sign = "u" if kind is TypeKind.UNSIGNED else "i"

    return ScalarType(f"{sign}{bits}")


@cache
def _resolve_numbers(name: str, size: int) -> tuple[ScalarType, int] | None:
    """Return what the numbers of a type are and how many it has; `None` for a type that is no
    number, or several.
    """
    unqualified = _QUALIFIERS.sub(" ", name)
    words = " ".join(unqualified.split())
    plain = _SIGN_SPACES.sub(r"\1", words)
    lanes = 1
    complex_type = _COMPLEX.fullmatch(plain)
    vector = _VECTOR.fullmatch(plain)

    if complex_type:
        scalar = _resolve_number(complex_type["part"], 0)
        lanes = 2
    elif vector:
        part = vector["part"]
        if part:
            scalar = _resolve_number(part, 0)
        else:
            scalar = _parse_word(vector["word"])

        lanes = int(vector["count"] or vector["lanes"])
    else:
        scalar = _resolve_number(plain, size)
        if _bare_name(plain) in _PAIR_NAMES:
            lanes = 2

    return (scalar, lanes) if scalar else None


def _bare_name(name: str) -> str:
    """Return a name without its namespaces, in small letters: `__nv_bfloat16` is `nv_bfloat16`."""
    return name.rpartition("::")[2].strip("_").lower()


def _parse_word(word: str) -> ScalarType:
    """Return the number of a vector type by its word: `uint` of `uint4`."""
    if word in ("float", "double"):
        return ScalarType(word)

    return _select_integer(word, _INTEGER_BYTES[word.removeprefix("u")])


def _select_integer(name: str, size: int) -> ScalarType:
    kind = TypeKind.UNSIGNED if name.startswith("u") else TypeKind.SIGNED
    return select_scalar_type(kind, size)


def _resolve_number(name: str, size: int) -> ScalarType | None:
    if name in ("float", "double", "bool"):
        return ScalarType(name)

    integer = _INTEGER.fullmatch(name)
    if integer is None:
        return _resolve_small_float(_bare_name(name))
    if integer["bits"]:
        return _select_integer(name, int(integer["bits"]) // 8)

    # `long` has other sizes elsewhere
    usual_size = _INTEGER_BYTES[integer["word"].replace(" ", "")]

    return _select_integer(name, size or usual_size)


def _resolve_small_float(bare_name: str) -> ScalarType | None:
    name = _VENDOR_PREFIX.sub("", bare_name)
    if name in _HALF_NAMES:
        return ScalarType.HALF
    if name in _BFLOAT16_NAMES:
        return ScalarType.BFLOAT16
    if name == "cucomplex":
        return ScalarType.FLOAT

    eight_bits = _EIGHT_BIT_FLOAT.search(name)
    if eight_bits is None:
        return None

    suffix = "fnuz" if "fnuz" in name else ""

    return ScalarType(f"{eight_bits[0]}{suffix}")
