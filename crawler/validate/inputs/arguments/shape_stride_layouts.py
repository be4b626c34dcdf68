"""Strides in unnamed `Layout<Shape, Stride>` types, such as those of CuTe."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crawler.validate.values.parameter_types import StructureMember, TypeKind

# Names of types as the compiler prints them: no source text that a parser could read.
_LAYOUT: Final = re.compile(r"(?:const )?(?:\w+::)*Layout<")
_INTEGRAL_CONSTANT: Final = re.compile(r"<(?:\w+, )?(\d{1,9})>")
_AXIS_FACTORS: Final = (64, 64, 64, 40, 16)
"""How many times as far apart as the rows of one axis are those of the next, by the number of
strides.
"""
_MAX_AXES: Final = 5
"""With more axes each has two elements: all together have few enough."""
_MAX_SPAN: Final = 256
DEFAULT_SPAN: Final = 32
"""Span of strides of which nothing but their type's name is known: a constant beside them may
be a tile.
"""


@dataclass(frozen=True, slots=True)
class LayoutRole:
    """What a number means in a layout."""

    role: str = ""
    """`apart` for a stride, `pair` for an extent where there are many axes, or nothing."""
    axis: int = 0
    """Which of the strides it is."""
    stride_count: int = 0
    span: int = 1
    """Elements of the tile that a stride steps over, at least."""


def classify_layout_member(
    member: StructureMember,
    index: int,
    members: Sequence[StructureMember],
    enclosing_type: str,
) -> LayoutRole:
    """Return what a number means in the innermost layout around it.

    `members` are all members of the parameter, whose own type `enclosing_type` may be that
    layout. `index` is the element that is meant of a member that is an array.
    """
    layout_type, layout_members = _innermost_layout(member, members, enclosing_type)
    # `Layout<Shape, Stride>`: the member whose type is the first argument is the shape.
    shape_type = _first_template_argument(layout_type) if layout_type else ""
    shapes = [inner for inner in layout_members if inner.type.type_name == shape_type]
    numbers = [
        inner
        for inner in layout_members
        if inner.type.kind in (TypeKind.SIGNED, TypeKind.UNSIGNED)
    ]

    if not shapes or not _contains(numbers, member):
        return LayoutRole()

    # Whatever number is not part of the shape is a stride.
    strides = [number for number in numbers if not _is_in_shape(number, shapes)]
    stride_count = sum(stride.count for stride in strides)
    if not _contains(strides, member):
        return LayoutRole("pair") if stride_count > _MAX_AXES else LayoutRole()

    axis = index
    for stride in strides:
        if stride is member:
            break

        axis += stride.count

    return LayoutRole("apart", axis, stride_count, _compute_span(shape_type))


def compute_stride(axis: int, stride_count: int, span: int = 1) -> int:
    """Return a stride with which rows do not overlap.

    Each axis may have a few times `span` elements.
    """
    # Each axis has two elements, so that powers of two keep all of them apart.
    if stride_count > _MAX_AXES:
        return int(2 ** min(axis + 1, 30))

    last_factor = len(_AXIS_FACTORS) - 1
    factor = _AXIS_FACTORS[min(stride_count, last_factor)]
    exponent = min(axis + 1, 4)
    stride = int(factor**exponent) * span

    return min(stride, 1 << 30)


def is_nested_member(inner: StructureMember, owner: StructureMember) -> bool:
    """Tell whether a member lies in another one that is a class."""
    if owner.type.kind is not TypeKind.CLASS:
        return False
    if not inner.name.startswith(f"{owner.name}."):
        return False

    return owner.offset <= inner.offset < _end_offset(owner)


def _innermost_layout(
    member: StructureMember, members: Sequence[StructureMember], enclosing_type: str
) -> tuple[str, list[StructureMember]]:
    """Return the type of the innermost layout around a number and its members.

    The type is empty where there is none.
    """
    layouts: list[StructureMember] = []
    for owner in members:
        is_layout = _LAYOUT.match(owner.type.type_name)
        if is_layout and _covers(owner, member):
            layouts.append(owner)

    # Classes come before their members: the last one around is the innermost.
    if layouts:
        innermost = layouts[-1]
        inner_members = [inner for inner in members if _covers(innermost, inner)]

        return innermost.type.type_name, inner_members

    if _LAYOUT.match(enclosing_type):
        return enclosing_type, list(members)

    return "", []


def _contains(members: Sequence[StructureMember], member: StructureMember) -> bool:
    return any(candidate is member for candidate in members)


def _is_in_shape(number: StructureMember, shapes: Sequence[StructureMember]) -> bool:
    for shape in shapes:
        if number is shape or _covers(shape, number):
            return True

    return False


def _covers(owner: StructureMember, inner: StructureMember) -> bool:
    """Tell whether a class holds a member, by where it lies.

    Names do not tell: members of one name that lie in a row have become one array by another
    name.
    """
    if inner is owner or owner.type.kind is not TypeKind.CLASS:
        return False

    begins_within = owner.offset <= inner.offset
    ends_within = _end_offset(inner) <= _end_offset(owner)

    return begins_within and ends_within


def _end_offset(member: StructureMember) -> int:
    return member.offset + member.type.size * member.count


def _compute_span(shape_type: str) -> int:
    """Return how many elements the constants in a shape multiply to, in bounds."""
    span = 1
    for constant in _INTEGRAL_CONSTANT.findall(shape_type):
        extent = max(1, int(constant))
        span = min(span * extent, _MAX_SPAN)

    return span


def _first_template_argument(type_name: str) -> str:
    depth = 0
    begin = type_name.index("<") + 1

    # Neither commas within nested arguments nor those of a call end it.
    for position in range(begin, len(type_name)):
        character = type_name[position]
        if character in ",>" and not depth:
            return type_name[begin:position]

        if character in "<(":
            depth += 1
        elif character in ">)":
            depth -= 1

    return ""
