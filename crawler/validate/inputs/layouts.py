"""Strides in layouts whose parts have no names: `Layout<Shape, Stride>` holds its shape first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from crawler.validate.simt.signature import Form, Member

_LAYOUT: Final = re.compile(r"(?:const )?(?:\w+::)*Layout<")
_FACTORS: Final = (64, 64, 64, 40, 16)
"""How many times as far apart as the rows of one axis are those of the next, by the number of strides."""


def stride_in(member: Member, members: Sequence[Member]) -> tuple[int, int]:
    """Return which stride of how many a number is in the innermost layout around it; 0 of 0 for any other number."""
    around = [each for each in members if _LAYOUT.match(each.type.type) and is_inside(member, each)]
    if not around:
        return 0, 0
    shape = _first_argument(around[-1].type.type)
    within = [each for each in members if is_inside(each, around[-1])]
    shapes = [each for each in within if each.type.type == shape]
    strides = [
        each
        for each in within
        if each.type.form in (Form.SIGNED, Form.UNSIGNED)
        and not any(each is one or is_inside(each, one) for one in shapes)
    ]
    at = next((at for at, each in enumerate(strides) if each is member), -1)
    return (at, len(strides)) if at >= 0 and shapes else (0, 0)


def apart(at: int, of: int) -> int:
    """Return a stride with which rows do not lie upon each other whose axes have few elements each."""
    return int(_FACTORS[min(of, len(_FACTORS) - 1)] ** min(at + 1, 4))


def is_inside(inner: Member, owner: Member) -> bool:
    """Tell whether a member lies in a class that another one is."""
    if owner.type.form is not Form.CLASS or not inner.name.startswith(f"{owner.name}."):
        return False
    return owner.offset <= inner.offset < owner.offset + owner.type.size * owner.count


def _first_argument(type_: str) -> str:
    depth, begin = 0, type_.index("<") + 1
    for at in range(begin, len(type_)):
        if type_[at] in ",>" and not depth:
            return type_[begin:at]
        depth += (type_[at] in "<(") - (type_[at] in ">)")
    return ""
