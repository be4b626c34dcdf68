"""What a kernel's parameters are, as its own program says: the compiler's layouts, not a guess from their text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Form(StrEnum):
    """What kind of type a parameter, or what it points at, has."""

    POINTER = "p"
    BOOL = "b"
    SIGNED = "s"
    UNSIGNED = "u"
    FLOATING = "f"
    ENUMERATION = "e"
    CLASS = "c"
    VOID = "v"
    NONE = "-"


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterType:
    """A parameter's type as it is laid out on this machine."""

    form: Form
    size: int
    """Bytes."""
    alignment: int
    type: str
    """Canonical name."""
    pointee: Form = Form.NONE
    pointee_size: int = 0
    """Bytes; 0 for what has no size."""
    is_const: bool = False
    """Whether what it points at may not be written."""


Signature = tuple[ParameterType, ...]
_NAMED: Final = "[T = "
_PARAMETER: Final = re.compile(r"([pbsufec]) (\d{1,9}) (\d{1,9}) ([pbsufecv-]) (\d{1,9}) ([01]) (.*)")


def signatures(described: str) -> tuple[Signature, ...]:
    """Return the signature of each entry, from what a program says of itself."""
    entries: list[list[ParameterType]] = []
    for line in described.splitlines():
        word, _, rest = line.partition(" ")
        if word == "entry":
            entries.append([])
        elif word == "parameter" and entries:
            entries[-1].extend(_parameter(rest))
    return tuple(tuple(each) for each in entries)


def _parameter(text: str) -> Iterator[ParameterType]:
    found = _PARAMETER.fullmatch(text)
    if found:
        form, size, alignment, pointee, pointee_size, is_const, named = found.groups()
        yield ParameterType(
            form=Form(form),
            size=int(size),
            alignment=int(alignment),
            pointee=Form(pointee),
            pointee_size=int(pointee_size),
            is_const=is_const == "1",
            type=named.partition(_NAMED)[2].removesuffix("]"),
        )
