"""Types, constants and casts that host code names without defining them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

CASTS: Final = frozenset(
    [
        "int",
        "unsigned",
        "long",
        "short",
        "char",
        "float",
        "double",
        "bool",
        "size_t",
        "int32_t",
        "int64_t",
        "uint32_t",
        "uint64_t",
        "ssize_t",
        "uint",
        "int_t",
        "index_t",
    ]
)
"""Types that a value is converted to by a call, e.g. `int64_t(n)`."""
_LIMITS: Final = {
    "INT_MAX": 2**31 - 1,
    "UINT_MAX": 2**32 - 1,
    "SHRT_MAX": 2**15 - 1,
    "USHRT_MAX": 2**16 - 1,
    **{f"INT{bits}_MAX": (1 << bits - 1) - 1 for bits in (8, 16, 32, 64)},
    **{f"UINT{bits}_MAX": (1 << bits) - 1 for bits in (8, 16, 32, 64)},
}
CONSTANTS: Final = {
    "true": 1,
    "false": 0,
    "nullptr": 0,
    "NULL": 0,
    "M_PI": math.pi,
    "warpSize": 32,
    **_LIMITS,
}
_POINTER_SIZE: Final = 8
_UNKNOWN_SIZE: Final = 4
_SIZES: Final = {
    "char": 1, "signed char": 1, "unsigned char": 1, "bool": 1, "int8_t": 1, "uint8_t": 1, "short": 2, "half": 2,
    "__half": 2, "at::Half": 2, "c10::Half": 2, "at::BFloat16": 2, "c10::BFloat16": 2, "__nv_bfloat16": 2,
    "int": 4, "unsigned": 4, "unsigned int": 4, "float": 4, "int32_t": 4, "uint32_t": 4, "half2": 4, "__half2": 4,
    "double": 8, "long": 8, "long long": 8, "unsigned long": 8, "unsigned long long": 8, "int64_t": 8,
    "uint64_t": 8, "size_t": 8, "ssize_t": 8, "ptrdiff_t": 8, "int16_t": 2, "uint16_t": 2, "unsigned short": 2,
}  # fmt: skip
_VECTOR_PARTS: Final = {
    "char": 1, "uchar": 1, "short": 2, "ushort": 2, "int": 4, "uint": 4, "float": 4,
    "long": 8, "ulong": 8, "longlong": 8, "ulonglong": 8, "double": 8,
}  # fmt: skip
# CUDA C++ Programming Guide, "Built-in Vector Types": three parts lie without padding
_VECTOR_SIZES: Final = {
    f"{part}{count}": size * count
    for part, size in _VECTOR_PARTS.items()
    for count in (1, 2, 3, 4)
}


def size_of_type(name: str, types: Mapping[str, str]) -> int:
    """Return how many bytes a type has, 4 where it is not known."""
    if name.endswith("*"):
        return _POINTER_SIZE

    actual = types.get(name, name)
    for known_name in (actual, name):
        size = _SIZES.get(known_name) or _VECTOR_SIZES.get(known_name)
        if size is not None:
            return size

    return _UNKNOWN_SIZE


def has_known_size(name: str, types: Mapping[str, str]) -> bool:
    """Tell whether a type is one of which it is known how many bytes it has."""
    known_names = (types.get(name, name), name)
    return name.endswith("*") or any(
        known_name in _SIZES or known_name in _VECTOR_SIZES
        for known_name in known_names
    )
