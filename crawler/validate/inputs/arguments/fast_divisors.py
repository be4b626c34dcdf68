"""Divisors stored as a multiplier and a shift for fast division by an invariant integer."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

from crawler.conventions.table import NameKind, compile_names

# Conventions of the structures that libraries divide by, e.g. CUTLASS's `FastDivmod` with
# `divisor`, `multiplier` and `shift_right`, or PyTorch's `IntDivider` with `m1` and `shift`.
_MULTIPLIER_NAME: Final = compile_names(NameKind.DIVISOR_MULTIPLIER)
_SHIFT_NAME: Final = compile_names(NameKind.DIVISOR_SHIFT)
_RIGHT_SHIFT_NAME: Final = compile_names(NameKind.DIVISOR_RIGHT_SHIFT)
_DIVISOR_NAME: Final = compile_names(NameKind.DIVISOR)
_WORD_BITS: Final = 32


class DivisorPart(StrEnum):
    """A number that is derived from a divisor."""

    MULTIPLIER = "multiplier"
    SHIFT = "shift"
    MULTIPLIER_ALONE = "multiplier-alone"
    """Of code that shifts the upper word of the product without adding the dividend to it."""
    SHIFT_ALONE = "shift-alone"


def find_divisor(name: str, siblings: Sequence[str]) -> tuple[str, DivisorPart | None]:
    """Return which of the members `siblings` is the divisor that a member derives from, and how.

    The result is `("", None)` where the structure names no multiplier, no shift, or nothing
    that they could derive from.
    """
    derived = [sibling for sibling in siblings if _is_derived(sibling)]
    candidates = [sibling for sibling in siblings if not _is_derived(sibling)]

    # A shift alone is no division: it may be a power of two, or a quantisation's.
    is_complete = _any_matches(_MULTIPLIER_NAME, derived) and _any_matches(
        _SHIFT_NAME, derived
    )
    if name not in derived or not is_complete:
        return "", None

    divisor = _choose_divisor(name, candidates)
    if not divisor:
        return "", None

    # A shift to the right alone means the variant without the addition.
    is_alone = _any_matches(_RIGHT_SHIFT_NAME, derived)
    if _MULTIPLIER_NAME.search(_last_component(name)):
        part = DivisorPart.MULTIPLIER_ALONE if is_alone else DivisorPart.MULTIPLIER
    else:
        part = DivisorPart.SHIFT_ALONE if is_alone else DivisorPart.SHIFT

    return divisor, part


def compute_divisor_part(kind: DivisorPart, divisor: int) -> int:
    """Return a part of a divisor as a word of 32 bits.

    The rule is figure 4.1 of Granlund and Montgomery, "Division by Invariant Integers using
    Multiplication"; for dividends of 31 bits it is the same with a multiplier of 32 bits.
    """
    # A kernel never divides by 0; a size of 0 divides as 1 does.
    divisor = max(1, divisor)
    bits = (divisor - 1).bit_length()

    match kind:
        case DivisorPart.SHIFT:
            return bits
        case DivisorPart.SHIFT_ALONE:
            return max(0, bits - 1)
        case DivisorPart.MULTIPLIER:
            return (1 << _WORD_BITS) * ((1 << bits) - divisor) // divisor + 1
        case DivisorPart.MULTIPLIER_ALONE:
            # The product's upper word is then shifted by -1, which no word can express.
            if divisor == 1:
                return 0

            return -(-(1 << (_WORD_BITS - 1 + bits)) // divisor)


def _is_derived(member: str) -> bool:
    component = _last_component(member)
    is_multiplier = _MULTIPLIER_NAME.search(component) is not None

    return is_multiplier or _SHIFT_NAME.search(component) is not None


def _any_matches(pattern: re.Pattern[str], members: Iterable[str]) -> bool:
    return any(pattern.search(_last_component(member)) for member in members)


def _choose_divisor(name: str, candidates: Sequence[str]) -> str:
    """Return the divisor among candidates; an empty name where none is likely.

    `lengths_multiplier` derives from `lengths`, and `multiplier` from `divisor`.
    """
    component = _last_component(name)
    stems = [
        candidate
        for candidate in candidates
        if component.startswith(_last_component(candidate).rstrip("_"))
    ]

    if stems:
        return max(stems, key=len)

    for candidate in candidates:
        if _DIVISOR_NAME.search(_last_component(candidate)):
            return candidate

    return ""


def _last_component(name: str) -> str:
    return name.rpartition(".")[2]
