"""What the numbers in a structure mean: extents, strides, ranks and parts of divisors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from crawler.conventions.table import NameKind, compile_names
from crawler.validate.inputs.arguments.argument_slots import (
    ScalarSlot,
    element_name,
    parent_name,
)
from crawler.validate.inputs.arguments.fast_divisors import find_divisor
from crawler.validate.inputs.arguments.pointer_slots import NUMBER_KINDS
from crawler.validate.inputs.arguments.shape_stride_layouts import (
    classify_layout_member,
)
from crawler.validate.values.element_types import ElementType, select_scalar_type
from crawler.validate.values.parameter_types import StructureMember

# Names of members, e.g. of PyTorch's `TensorInfo` with `sizes`, `strides` and `dims`.
SHAPE_NAME: Final = compile_names(NameKind.SHAPE)
STRIDE_NAME: Final = compile_names(NameKind.AXIS_STRIDE)
_LENGTHS_NAME: Final = compile_names(NameKind.SHAPE_OF_LENGTHS)
"""Names of a shape where strides stand beside it."""
_RANK_NAME: Final = compile_names(NameKind.RANK)
_ARRAY_NAME: Final = compile_names(NameKind.AXIS_ARRAY)
# The name of a type as the compiler prints it, which no parser of source text reads.
_NUMBER_TYPE_NAME: Final = re.compile(r"(?i)half|bfloat|float8|fp8|complex|e4m3|e5m2")
AXIS_LETTERS: Final = "xyzw"
_MAX_USED_AXES: Final = 5
_DEFAULT_USED_AXES: Final = 3
_DIVISOR_PART_BYTES: Final = 4


def is_number_type(type_name: str) -> bool:
    """Tell whether a class stands for a number, e.g. `__half` or `complex<float>`."""
    if not _NUMBER_TYPE_NAME.search(type_name):
        return False

    # `Array<__half, 4>` holds such numbers and is none.
    return "<" not in type_name.replace("complex<", "")


def iter_number_slots(
    name: str, argument: int, element: ElementType
) -> Iterator[ScalarSlot]:
    """Yield the numbers of an argument that is a number, or a vector of them."""
    count = max(1, element.size // element.scalar.size)
    for index in range(count):
        yield ScalarSlot(
            name=element_name(name, index, count),
            argument=argument,
            offset=index * element.scalar.size,
            scalar=element.scalar,
        )


def build_member_slot(
    prefix: str,
    argument: int,
    member: StructureMember,
    index: int,
    members: Sequence[StructureMember],
    enclosing_type: str,
) -> ScalarSlot:
    """Return the slot of a number in a structure, with what its name and its siblings say of it.

    `prefix` is the name of the structure's parameter, and `index` the element that is meant of
    an array.
    """
    full_name = f"{prefix}.{member.name}"
    slot = ScalarSlot(
        name=element_name(full_name, index, member.count),
        argument=argument,
        offset=member.offset + index * member.type.size,
        scalar=select_scalar_type(member.type.kind, member.type.size),
    )

    # A real number is no extent, stride or divisor, whatever it is called.
    if slot.scalar.is_real:
        return slot

    divisor_slot = _as_divisor_part(slot, prefix, member, index, members)
    if divisor_slot is not None:
        return divisor_slot

    # Types of layouts say more than names, which are `first` and `rest` in a tuple.
    layout_role = classify_layout_member(member, index, members, enclosing_type)
    if layout_role.role:
        return _with_role(
            slot,
            layout_role.role,
            layout_role.axis,
            layout_role.stride_count,
            layout_role.span,
        )

    axis, rank = _find_axis(member, index, members)
    if axis >= 0:
        role = _axis_role(full_name, axis, rank, _sibling_names(member, members))
        return _with_role(slot, role, axis, rank)

    # `dims` beside `sizes[25]` and `strides[25]` says how many of the 25 are used.
    array_lengths = _sibling_array_lengths(member, members)
    if len(array_lengths) == 1 and _RANK_NAME.search(member.name):
        return _with_role(slot, "rank", -1, _used_axes(array_lengths.pop()))

    return slot


def _with_role(
    slot: ScalarSlot, role: str, axis: int, rank: int, span: int = 1
) -> ScalarSlot:
    return ScalarSlot(
        name=slot.name,
        argument=slot.argument,
        offset=slot.offset,
        scalar=slot.scalar,
        axis=axis,
        rank=rank,
        role=role,
        span=span,
    )


def _as_divisor_part(
    slot: ScalarSlot,
    prefix: str,
    member: StructureMember,
    index: int,
    members: Sequence[StructureMember],
) -> ScalarSlot | None:
    """Return the slot as a multiplier or a shift of a divisor; `None` where it is none."""
    divisor, part = find_divisor(member.name, _sibling_names(member, members))
    if part is None or slot.scalar.size != _DIVISOR_PART_BYTES:
        return None

    return ScalarSlot(
        name=slot.name,
        argument=slot.argument,
        offset=slot.offset,
        scalar=slot.scalar,
        divisor_part=part,
        divisor=element_name(f"{prefix}.{divisor}", index, member.count),
    )


def _axis_role(full_name: str, axis: int, rank: int, siblings: Sequence[str]) -> str:
    # The name of the whole parameter counts: `strides.data[0]` is a stride, too.
    if STRIDE_NAME.search(full_name):
        return "stride"

    has_strides = any(STRIDE_NAME.search(sibling) for sibling in siblings)
    is_shape = SHAPE_NAME.search(full_name) is not None
    if has_strides and _LENGTHS_NAME.search(full_name):
        is_shape = True
    if not is_shape:
        return ""

    return "one" if axis >= _used_axes(rank) else "shape"


def _sibling_names(
    member: StructureMember, members: Sequence[StructureMember]
) -> list[str]:
    """Return the numbers of the same structure that are arrays of the same length."""
    parent = parent_name(member.name)
    return [
        sibling.name
        for sibling in members
        if sibling.type.kind in NUMBER_KINDS
        and sibling.count == member.count
        and parent_name(sibling.name) == parent
    ]


def _sibling_array_lengths(
    member: StructureMember, members: Sequence[StructureMember]
) -> set[int]:
    parent = parent_name(member.name)
    return {
        sibling.count
        for sibling in members
        if _is_array(sibling) and parent_name(sibling.name) == parent
    }


def _used_axes(capacity: int) -> int:
    """Return how many axes a shape has that has room for `capacity` of them.

    PyTorch's `TensorInfo` has room for 25 and uses few; a smaller array is used whole.
    """
    return capacity if capacity <= _MAX_USED_AXES else _DEFAULT_USED_AXES


def _find_axis(
    member: StructureMember, index: int, members: Sequence[StructureMember]
) -> tuple[int, int]:
    """Return which axis of how many a number is; (-1, 0) for one that is none.

    Axes are the elements of an array, or x, y, z, w of a vector.
    """
    if _is_array(member):
        return index, member.count

    parent = parent_name(member.name)
    letter = member.name.rpartition(".")[2]
    # A lone `x` is a coordinate, and no axis of a vector.
    if not parent or letter not in AXIS_LETTERS:
        return -1, 0

    axis_count = sum(
        parent_name(sibling.name) == parent
        and sibling.name.rpartition(".")[2] in AXIS_LETTERS
        for sibling in members
    )

    return AXIS_LETTERS.index(letter), axis_count


def _is_array(member: StructureMember) -> bool:
    """Tell whether a member is an array, or would be one if there were more axes."""
    if member.type.kind not in NUMBER_KINDS:
        return False

    return member.count > 1 or _ARRAY_NAME.search(member.name) is not None
