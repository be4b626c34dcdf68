"""Buffers behind pointers: of numbers, of structures, and of further pointers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from crawler.validate.inputs.arguments.argument_slots import BufferSlot, element_name
from crawler.validate.values.element_types import (
    ElementType,
    RecordField,
    parse_element_type,
    resolve_pointee,
    select_scalar_type,
)
from crawler.validate.values.parameter_types import (
    ParameterType,
    StructureMember,
    TypeKind,
)
from crawler.validate.values.scalar_types import ScalarType

NUMBER_KINDS = (
    TypeKind.BOOL,
    TypeKind.SIGNED,
    TypeKind.UNSIGNED,
    TypeKind.FLOATING,
    TypeKind.ENUMERATION,
)


def append_pointer_slots(
    name: str,
    argument: int,
    offset: int,
    pointer_type: ParameterType,
    slots: list[BufferSlot],
) -> None:
    """Append the buffer that a pointer points to, and those that pointers in it point to."""
    pointee = resolve_pointee(pointer_type)
    # E.g. `float **`: the table is one buffer, and all its rows are another.
    if pointee and pointer_type.pointee_kind is TypeKind.POINTER:
        slots.extend(
            _pointer_table_slots(
                name, argument, offset, pointer_type, pointee, len(slots)
            )
        )

        return

    # Pointers within the structure refer to its slot, which comes first.
    parent_slot = len(slots)
    record = _resolve_record(pointer_type)
    slots.append(
        BufferSlot(name, argument, offset, record or pointee, pointer_type.is_const)
    )
    if record:
        slots.extend(
            _iter_record_pointers(
                name, argument, pointer_type.pointee_members, parent_slot
            )
        )


def iter_elements(member: StructureMember) -> Iterator[tuple[int, int]]:
    """Yield the index and the offset in bytes of each element of a member."""
    for index in range(member.count):
        yield index, member.offset + index * member.type.size


def _pointer_table_slots(
    name: str,
    argument: int,
    offset: int,
    pointer_type: ParameterType,
    pointee: ElementType,
    table_slot: int,
) -> list[BufferSlot]:
    """Return the slots of a table of pointers, such as `float **`, and of what these point to."""
    table = BufferSlot(
        name=name,
        argument=argument,
        offset=offset,
        # An element without fields: its bytes are the pointer's alone.
        element=ElementType(pointee.name, pointee.size, ScalarType.U8, ()),
        is_const=pointer_type.is_const,
    )

    row_type_name = pointee.name.rpartition("*")[0].strip()
    rows = BufferSlot(
        name=f"{name}[]",
        argument=argument,
        offset=0,
        element=parse_element_type(row_type_name, 0),
        is_const=False,
        parent_slot=table_slot,
    )

    return [table, rows]


def _iter_record_pointers(
    name: str, argument: int, members: Sequence[StructureMember], parent_slot: int
) -> Iterator[BufferSlot]:
    for member in members:
        if member.type.kind is not TypeKind.POINTER:
            continue

        for index, offset in iter_elements(member):
            yield BufferSlot(
                name=element_name(f"{name}.{member.name}", index, member.count),
                argument=argument,
                offset=offset,
                element=resolve_pointee(member.type),
                is_const=member.type.is_const,
                parent_slot=parent_slot,
            )


def _resolve_record(pointer_type: ParameterType) -> ElementType | None:
    """Return the element type of a structure whose numbers differ in type or that has pointers.

    `None` for all else: a structure of numbers of one type is a vector of them.
    """
    pointee = resolve_pointee(pointer_type)
    if pointee is None:
        return None

    leaves = [
        member
        for member in pointer_type.pointee_members
        if member.type.kind is not TypeKind.CLASS
    ]

    leaf_types = {(leaf.type.kind, leaf.type.size) for leaf in leaves}
    has_pointers = any(kind is TypeKind.POINTER for kind, _ in leaf_types)
    # E.g. a `float2 *`, which is filled as floats are.
    if len(leaf_types) < 2 and not has_pointers:
        return None

    fields: list[RecordField] = []
    for leaf in leaves:
        if leaf.type.kind not in NUMBER_KINDS:
            continue

        scalar = select_scalar_type(leaf.type.kind, leaf.type.size)
        for _, offset in iter_elements(leaf):
            fields.append(RecordField(leaf.name, offset, scalar))

    return ElementType(pointee.name, pointee.size, ScalarType.U8, tuple(fields))
