"""Divisors stored as a multiplier and a shift for fast division by an invariant integer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

_MULTIPLIER: Final = re.compile(r"(?i)multiplier|^(?:mul|m1|magic)_?$")
_SHIFT: Final = re.compile(r"(?i)shift|^shr_?$")
_RIGHT: Final = re.compile(r"(?i)shift_?right|^shr_?$")
_DIVISOR: Final = re.compile(r"(?i)divisor|^div_?$")
_WORD: Final = 32


class DivisorPart(StrEnum):
    """What a divisor is held as, besides itself."""

    MULTIPLIER = "multiplier"
    SHIFT = "shift"
    MULTIPLIER_ALONE = "multiplier-alone"
    """Of what shifts the upper word of the product as it is, without adding the number to it."""
    SHIFT_ALONE = "shift-alone"


def find_divisor(name: str, siblings: Sequence[str]) -> tuple[str, DivisorPart | None]:
    """Return which of the members `siblings` is the divisor that a member holds a part of, and
    which part.

    A structure that names no multiplier and no shift, or nothing that they could be of, holds
    none.
    """
    given = [
        each
        for each in siblings
        if not _MULTIPLIER.search(_last(each)) and not _SHIFT.search(_last(each))
    ]
    parts = [each for each in siblings if each not in given]
    is_multiplier = bool(_MULTIPLIER.search(_last(name)))
    whole = any(_MULTIPLIER.search(_last(each)) for each in parts) and any(
        _SHIFT.search(_last(each)) for each in parts
    )
    if name not in parts or not whole:
        return "", None
    stems = [each for each in given if _last(name).startswith(_last(each).rstrip("_"))]
    named = [each for each in given if _DIVISOR.search(_last(each))]
    alone = any(_RIGHT.search(_last(each)) for each in parts)
    if is_multiplier:
        kind = DivisorPart.MULTIPLIER_ALONE if alone else DivisorPart.MULTIPLIER
    else:
        kind = DivisorPart.SHIFT_ALONE if alone else DivisorPart.SHIFT
    divisor = max(stems, key=len, default=next(iter(named), ""))
    return (divisor, kind) if divisor else ("", None)


def compute_divisor_part(kind: DivisorPart, divisor: int) -> int:
    """Return a part of a divisor as a word of 32 bits.

    Rule: Granlund and Montgomery, "Division by Invariant Integers using Multiplication", figure
    4.1; and, for numbers
    of 31 bits, the same with a multiplier of 32.
    """
    divisor = max(1, divisor)
    bits = (divisor - 1).bit_length()
    match kind:
        case DivisorPart.SHIFT:
            return bits
        case DivisorPart.SHIFT_ALONE:
            return max(0, bits - 1)
        case DivisorPart.MULTIPLIER:
            return (1 << _WORD) * ((1 << bits) - divisor) // divisor + 1
        case DivisorPart.MULTIPLIER_ALONE:
            return -(-(1 << (_WORD - 1 + bits)) // divisor) if divisor > 1 else 0


def _last(name: str) -> str:
    return name.rpartition(".")[2]
