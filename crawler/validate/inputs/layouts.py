"""Strides in layouts whose parts have no names: `Layout<Shape, Stride>` holds its shape first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from crawler.validate.simt.signature import Form, Member

_LAYOUT: Final = re.compile(r"(?:const )?(?:\w+::)*Layout<")
_FACTORS: Final = (64, 64, 64, 40, 16)
"""How many times as far apart as the rows of one axis are those of the next, by the number of strides."""
_CONSTANT: Final = re.compile(r"<(?:\w+, )?(\d{1,9})>")
_WIDEST: Final = 256
NAMED_SPAN: Final = 32
"""Of strides of which nothing but their type's name is known: what is a constant beside them may be a tile."""


def stride_in(member: Member, members: Sequence[Member], whole: str) -> tuple[int, int, int]:
    """Return which stride of how many a number is in the innermost layout around it, and how wide its tiles are.

    That layout may be the `whole` that all members are of. 0 of 0 for any other number.
    """
    type_, within = _layout_around(member, members, whole)
    shape = _first_argument(type_) if type_ else ""
    shapes = [each for each in within if each.type.type == shape]
    strides = [
        each
        for each in within
        if each.type.form in (Form.SIGNED, Form.UNSIGNED)
        and not any(each is one or is_inside(each, one) for one in shapes)
    ]
    at = next((at for at, each in enumerate(strides) if each is member), -1)
    return (at, len(strides), _span(shape)) if at >= 0 and shapes else (0, 0, 1)


def _layout_around(member: Member, members: Sequence[Member], whole: str) -> tuple[str, list[Member]]:
    """Return the type of the innermost layout around a number and what is in it; an empty one where there is none."""
    around = [each for each in members if _LAYOUT.match(each.type.type) and is_inside(member, each)]
    if around:
        return around[-1].type.type, [each for each in members if is_inside(each, around[-1])]
    return (whole, list(members)) if _LAYOUT.match(whole) else ("", [])


def _span(shape: str) -> int:
    """Return how many elements the constants in a shape say, in bounds."""
    span = 1
    for constant in _CONSTANT.findall(shape):
        span = min(span * max(1, int(constant)), _WIDEST)
    return span


def apart(at: int, of: int, span: int = 1) -> int:
    """Return a stride with which rows do not lie upon each other whose axes have few times `span` elements each."""
    return min(int(_FACTORS[min(of, len(_FACTORS) - 1)] ** min(at + 1, 4)) * span, 1 << 30)


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
