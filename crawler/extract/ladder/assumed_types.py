"""Assume the types that only a missing header declares, as far as a unit tells what they must be.

A header that its project takes from elsewhere, as one for a library of the host, may be missing
though a kernel needs no more of it than the name of an integer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from crawler.cpp.masked.masked_source import MaskedSource
from crawler.model import Closure

MAX_TYPES: Final = 12
"""More than these are no few names, but a library."""
# libclang says the second of a name that may be no type
_UNKNOWN_NAME: Final = re.compile(
    r"(?:unknown type name|use of undeclared identifier) '([A-Za-z_]\w*)'"
)
# what integers are called in libraries of any kind: `rocblas_int`, `magma_index_t`, `size_type`
_INTEGER_NAME: Final = re.compile(
    r"(?:^|_|(?<=[a-z])(?=[A-Z]))"
    r"(?:u?int(?:eger)?\d*|size|stride|index|idx|offset|count|dim|len|length|ord|ordinal)"
    r"(?:_?t|_?type)?$",
    re.IGNORECASE,
)
_WIDE_INTEGER: Final = re.compile(r"stride|offset|size|64|long|ptrdiff", re.IGNORECASE)
"""What names of integers that memory is counted in are like, whatever the library."""
_INTEGER: Final = "typedef {} {};"
_OPAQUE: Final = "struct {};"
_EMPTY: Final = "struct {} {{}};"
_QUALIFIERS: Final = r"(?:\s|\bconst\b|\b__restrict__\b)*"
_INTEGER_USES: Final = (
    # a subscript or a shift takes nothing else
    r"\[[^\[\];]*\bNAME\b[^\[\];]*\]",
    r"\bNAME\s*(?:%|<<|>>|\+\+|--|\^)|(?:%|<<|>>|\+\+|--|~|\^)\s*NAME\b",
    # what threads are counted by
    r"\b(?:threadIdx|blockIdx|blockDim|gridDim)\b[^;{}]*[-+*/%<>=]\s*NAME\b",
    r"\bNAME\s*[-+*/%<>=]+[^;{}]*\b(?:threadIdx|blockIdx|blockDim|gridDim)\b",
    r"\bfor\s*\([^;]*;[^;]*[<>]=?\s*NAME\b",
)
_ELEMENT_USES: Final = (
    r"\bNAME\s*\[",
    r"(?:[-+=;{}(,/<>!|?:]|\breturn\b)\s*\*\s*NAME\b",
)
_FLOAT_USES: Final = (
    r"\bNAME\s*[-+*/<>=]+\s*\d*\.\d|\d\.\d*f?\s*[-+*/<>=]+\s*NAME\b",
    r"\b(?:sqrt|exp|log|pow|sin|cos|fabs|fma)f?\s*\([^()]*\bNAME\b",
)


def find_unknown_names(
    messages: Iterable[str], known_names: Collection[str]
) -> list[str]:
    """Return the names that a unit's errors call unknown and its project does not declare."""
    names: dict[str, None] = {}
    for message in messages:
        for name in _UNKNOWN_NAME.findall(message):
            if name not in known_names:
                names[name] = None

    return list(names)


def assume_type(name: str, text: str) -> str:
    """Return the declaration that the text of a unit asks of an unknown name.

    An integer is told by what the text does with variables of the type, or by what integers are
    called. What is only pointed to or passed on needs no more than a name. `""` where the text
    does more with it, as to read a member, and where the name stands for no type.
    """
    code = MaskedSource(text).code
    if not _is_type(name, code):
        return ""

    values = _find_variables(name, code, pointer="")
    pointers = _find_variables(name, code, pointer=r"[*&]+")
    variables = values | pointers
    if any(_has_use(r"\bNAME\s*(?:\.|->)\s*[A-Za-z_]", code, v) for v in variables):
        return ""
    if any(_has_any_use(_FLOAT_USES, code, variable) for variable in values):
        return ""
    if _is_integer(name, values, code):
        integer = "long long" if _WIDE_INTEGER.search(name) else "int"
        return _INTEGER.format(integer, name)
    if any(_has_any_use(_ELEMENT_USES, code, pointer) for pointer in pointers):
        # its elements are read, and nothing tells what they are
        return ""

    return (_EMPTY if values else _OPAQUE).format(name)


def put_in_front(closure: Closure, declarations: Collection[str]) -> Closure:
    """Return a closure with declarations of types before everything that its project has."""
    return replace(
        closure,
        fragments=(*declarations, *closure.fragments),
        origins=(*[None] * len(declarations), *closure.origins),
        assumed=tuple(declarations),
    )


def _is_type(name: str, code: str) -> bool:
    """Tell whether a name stands where only a type may."""
    declares = rf"\b{name}{_QUALIFIERS}[*&]*{_QUALIFIERS}[A-Za-z_]\w*\s*[,;=)\[(]"
    return re.search(declares, code) is not None


def _find_variables(name: str, code: str, *, pointer: str) -> set[str]:
    """Return what is declared with a type; with `pointer`, what points or refers to it."""
    declaration = rf"\b{name}{_QUALIFIERS}{pointer}{_QUALIFIERS}([A-Za-z_]\w*)"
    return set(re.findall(declaration, code)) - {"const", "__restrict__"}


def _is_integer(name: str, values: Iterable[str], code: str) -> bool:
    if _INTEGER_NAME.search(name) or _has_use(r"\bfor\s*\(\s*NAME\s", code, name):
        return True

    return any(_has_any_use(_INTEGER_USES, code, value) for value in values)


def _has_any_use(patterns: Iterable[str], code: str, name: str) -> bool:
    return any(_has_use(pattern, code, name) for pattern in patterns)


def _has_use(pattern: str, code: str, name: str) -> bool:
    return re.search(pattern.replace("NAME", re.escape(name)), code) is not None
