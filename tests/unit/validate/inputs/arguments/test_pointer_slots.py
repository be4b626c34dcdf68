"""Buffers behind the pointers that a kernel takes."""

from __future__ import annotations

from crawler.validate.inputs.arguments.argument_slots import BufferSlot
from crawler.validate.inputs.arguments.pointer_slots import (
    append_pointer_slots,
    iter_elements,
)
from crawler.validate.values.parameter_types import (
    ParameterType,
    StructureMember,
    TypeKind,
)
from crawler.validate.values.scalar_types import ScalarType

FLOAT = ParameterType(kind=TypeKind.FLOATING, size=4, alignment=4, type_name="float")
INT = ParameterType(kind=TypeKind.SIGNED, size=4, alignment=4, type_name="int")


def pointer(
    name: str,
    kind: TypeKind,
    size: int,
    *members: StructureMember,
    is_const: bool = False,
) -> ParameterType:
    return ParameterType(
        kind=TypeKind.POINTER,
        size=8,
        alignment=8,
        type_name=f"{name} *",
        pointee_kind=kind,
        pointee_size=size,
        is_const=is_const,
        pointee_members=members,
    )


def member(
    name: str, offset: int, kind: ParameterType, count: int = 1
) -> StructureMember:
    return StructureMember(name=name, offset=offset, count=count, type=kind)


def list_slots(kind: ParameterType, before: int = 0) -> list[BufferSlot]:
    slots = [BufferSlot("earlier", 0, 0, None, False) for _ in range(before)]
    append_pointer_slots("p", 3, 16, kind, slots)
    return slots[before:]


def test_numbers_are_one_buffer_where_the_pointer_stands() -> None:
    (slot,) = list_slots(pointer("float", TypeKind.FLOATING, 4, is_const=True))
    assert (slot.name, slot.argument, slot.offset) == ("p", 3, 16)
    assert slot.is_const
    assert slot.parent_slot == -1
    assert slot.element
    assert slot.element.scalar is ScalarType.FLOAT


def test_memory_of_no_type_has_no_element() -> None:
    (slot,) = list_slots(pointer("void", TypeKind.VOID, 0))
    assert slot.element is None


def test_a_table_of_pointers_has_its_rows_behind_it() -> None:
    table, rows = list_slots(pointer("float *", TypeKind.POINTER, 8), before=2)
    assert table.element
    # its bytes are the pointer's alone
    assert (table.element.size, table.element.scalar) == (8, ScalarType.U8)
    assert (rows.name, rows.offset, rows.parent_slot) == ("p[]", 0, 2)
    assert rows.element
    assert rows.element.scalar is ScalarType.FLOAT
    assert not rows.is_const


def test_a_structure_of_numbers_of_one_type_is_a_vector_of_them() -> None:
    members = (member("x", 0, FLOAT), member("y", 4, FLOAT))
    (slot,) = list_slots(pointer("float2", TypeKind.CLASS, 8, *members))
    assert slot.element
    assert slot.element.scalar is ScalarType.FLOAT
    assert slot.element.size == 8
    assert not slot.element.fields


def test_a_structure_of_several_types_has_a_field_for_each_number() -> None:
    members = (member("weight", 0, FLOAT), member("ids", 4, INT, count=2))
    (slot,) = list_slots(pointer("Entry", TypeKind.CLASS, 12, *members))
    assert slot.element
    assert slot.element.size == 12
    assert [
        (field.name, field.offset, field.scalar) for field in slot.element.fields or ()
    ] == [
        ("weight", 0, ScalarType.FLOAT),
        ("ids", 4, ScalarType.I32),
        ("ids", 8, ScalarType.I32),
    ]


def test_pointers_in_a_structure_have_buffers_of_their_own() -> None:
    inner = pointer("int", TypeKind.SIGNED, 4, is_const=True)
    members = (member("count", 0, INT), member("rows", 8, inner, count=2))
    record, first, second = list_slots(
        pointer("Table", TypeKind.CLASS, 24, *members), before=1
    )
    assert record.element
    assert [field.name for field in record.element.fields or ()] == ["count"]
    assert [slot.name for slot in (first, second)] == ["p.rows[0]", "p.rows[1]"]
    assert [slot.offset for slot in (first, second)] == [8, 16]
    assert {slot.parent_slot for slot in (first, second)} == {1}
    assert first.is_const
    assert first.element
    assert first.element.scalar is ScalarType.I32


def test_a_single_pointer_in_a_structure_is_called_by_its_member() -> None:
    members = (member("data", 0, pointer("float", TypeKind.FLOATING, 4)),)
    _, data = list_slots(pointer("View", TypeKind.CLASS, 8, *members))
    assert data.name == "p.data"


def test_elements_of_a_member_lie_one_after_the_other() -> None:
    assert list(iter_elements(member("a", 8, INT, count=3))) == [
        (0, 8),
        (1, 12),
        (2, 16),
    ]
