"""Strides in unnamed `Layout<Shape, Stride>` types, such as those of CuTe."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from typing import Final

from crawler.validate.values.parameter_types import StructureMember, TypeKind

_LAYOUT: Final = re.compile(r"(?:const )?(?:\w+::)*Layout<")
_FACTORS: Final = (64, 64, 64, 40, 16)
"""How many times as far apart as the rows of one axis are those of the next, by the number of
strides.
"""
_MOST_AXES: Final = 5
"""With more of them each has two elements: all together have few enough."""
_CONSTANT: Final = re.compile(r"<(?:\w+, )?(\d{1,9})>")
_WIDEST: Final = 256
DEFAULT_SPAN: Final = 32
"""Of strides of which nothing but their type's name is known: what is a constant beside them
may be a tile.
"""


def classify_layout_member(
    member: StructureMember,
    index: int,
    members: Sequence[StructureMember],
    enclosing_type: str,
) -> tuple[str, int, int, int]:
    """Return what a number is in the innermost layout around it: a role, which of how many
    strides, a tile's size.

    That layout may be the `enclosing_type` that all members are of. A role is `apart` for a
    stride, `pair` for an extent where
    there are many axes, and nothing for all else; of a member that is a row of them `index`
    says which is meant.
    """
    type_, within = _layout_around(member, members, enclosing_type)
    shape = _first_argument(type_) if type_ else ""
    shapes = [each for each in within if each.type.type_name == shape]
    numbers = [
        each
        for each in within
        if each.type.kind in (TypeKind.SIGNED, TypeKind.UNSIGNED)
    ]
    if not shapes or not any(each is member for each in numbers):
        return "", 0, 0, 1
    strides = [
        each
        for each in numbers
        if not any(each is one or _holds(one, each) for one in shapes)
    ]
    count = sum(each.count for each in strides)
    if not any(each is member for each in strides):
        return ("pair" if count > _MOST_AXES else "", 0, 0, 1)
    before = takewhile(lambda each: each is not member, strides)
    return "apart", sum(each.count for each in before) + index, count, _span(shape)


def _layout_around(
    member: StructureMember, members: Sequence[StructureMember], whole: str
) -> tuple[str, list[StructureMember]]:
    """Return the type of the innermost layout around a number and what is in it; an empty one
    where there is none.
    """
    around = [
        each
        for each in members
        if _LAYOUT.match(each.type.type_name) and _holds(each, member)
    ]
    if around:
        return around[-1].type.type_name, [
            each for each in members if _holds(around[-1], each)
        ]
    return (whole, list(members)) if _LAYOUT.match(whole) else ("", [])


def _holds(owner: StructureMember, inner: StructureMember) -> bool:
    """Tell whether a class holds a member, by where it lies: what is a row by now has another
    name.
    """
    end = inner.offset + inner.type.size * inner.count
    return (
        inner is not owner
        and owner.type.kind is TypeKind.CLASS
        and owner.offset <= inner.offset
        and end <= owner.offset + owner.type.size * owner.count
    )


def _span(shape: str) -> int:
    """Return how many elements the constants in a shape say, in bounds."""
    span = 1
    for constant in _CONSTANT.findall(shape):
        span = min(span * max(1, int(constant)), _WIDEST)
    return span


def compute_stride(axis: int, stride_count: int, span: int = 1) -> int:
    """Return a stride with which rows do not lie upon each other whose axes have few times
    `span` elements each.
    """
    if stride_count > _MOST_AXES:
        return int(2 ** min(axis + 1, 30))
    return min(
        int(_FACTORS[min(stride_count, len(_FACTORS) - 1)] ** min(axis + 1, 4)) * span,
        1 << 30,
    )


def is_nested_member(inner: StructureMember, owner: StructureMember) -> bool:
    """Tell whether a member lies in a class that another one is."""
    if owner.type.kind is not TypeKind.CLASS or not inner.name.startswith(
        f"{owner.name}."
    ):
        return False
    return owner.offset <= inner.offset < owner.offset + owner.type.size * owner.count


def _first_argument(type_: str) -> str:
    depth, begin = 0, type_.index("<") + 1
    for at in range(begin, len(type_)):
        if type_[at] in ",>" and not depth:
            return type_[begin:at]
        depth += (type_[at] in "<(") - (type_[at] in ">)")
    return ""
