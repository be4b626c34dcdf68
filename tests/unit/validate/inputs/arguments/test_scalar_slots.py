"""Numbers in a structure are told apart by their names, their siblings and their types."""

from __future__ import annotations

import pytest

from crawler.validate.inputs.arguments.argument_slots import ScalarSlot
from crawler.validate.inputs.arguments.fast_divisors import DivisorPart
from crawler.validate.inputs.arguments.scalar_slots import (
    build_member_slot,
    is_number_type,
    iter_number_slots,
)
from crawler.validate.values.element_types import ElementType
from crawler.validate.values.parameter_types import (
    ParameterType,
    StructureMember,
    TypeKind,
)
from crawler.validate.values.scalar_types import ScalarType


def lay_out(*members: str, kind: TypeKind = TypeKind.SIGNED) -> list[StructureMember]:
    """Return members of 4 bytes one after another; `sizes*5` is an array of five."""
    laid_out: list[StructureMember] = []
    offset = 0
    for text in members:
        name, _, count = text.partition("*")
        number_type = ParameterType(kind=kind, size=4, alignment=4, type_name="int")
        member = StructureMember(
            name=name, offset=offset, count=int(count or 1), type=number_type
        )
        laid_out.append(member)
        offset += 4 * member.count
    return laid_out


def find_slot(
    members: list[StructureMember], name: str, index: int = 0, prefix: str = "info"
) -> ScalarSlot:
    member = next(member for member in members if member.name == name)
    return build_member_slot(prefix, 3, member, index, members, "Info")


@pytest.mark.parametrize(
    "type_name",
    [
        "__half",
        "c10::Half",
        "__nv_bfloat16",
        "c10::Float8_e4m3fn",
        "__hip_fp8_e5m2",
        "c10::complex<double>",
        "thrust::complex<float>",
    ],
)
def test_classes_that_stand_for_a_number(type_name: str) -> None:
    assert is_number_type(type_name)


@pytest.mark.parametrize(
    "type_name",
    ["Array<__half, 4>", "Info", "complex<Array<__half, 2>>", "std::pair<fp8, int>"],
)
def test_classes_that_hold_more_than_a_number(type_name: str) -> None:
    assert not is_number_type(type_name)


def test_a_vector_has_a_number_an_element() -> None:
    vector = ElementType(name="float4", size=16, scalar=ScalarType.FLOAT)
    slots = list(iter_number_slots("scale", 2, vector))
    assert [(slot.name, slot.offset) for slot in slots] == [
        ("scale[0]", 0),
        ("scale[1]", 4),
        ("scale[2]", 8),
        ("scale[3]", 12),
    ]
    assert {(slot.argument, slot.scalar) for slot in slots} == {(2, ScalarType.FLOAT)}


def test_a_plain_number_has_the_name_of_its_parameter() -> None:
    (slot,) = iter_number_slots(
        "count", 0, ElementType(name="long", size=8, scalar=ScalarType.I64)
    )
    assert (slot.name, slot.offset, slot.axis, slot.role) == ("count", 0, -1, "")


def test_sizes_and_strides_belong_to_axes() -> None:
    members = lay_out("sizes*3", "strides*3")
    assert find_slot(members, "sizes", 1) == ScalarSlot(
        name="info.sizes[1]",
        argument=3,
        offset=4,
        scalar=ScalarType.I32,
        axis=1,
        rank=3,
        role="shape",
    )
    stride = find_slot(members, "strides", 2)
    assert (stride.name, stride.offset) == ("info.strides[2]", 20)
    assert (stride.axis, stride.rank, stride.role) == (2, 3, "stride")


@pytest.mark.parametrize(
    ("index", "role"), [(0, "shape"), (2, "shape"), (3, "one"), (24, "one")]
)
def test_of_room_for_many_axes_few_are_used(index: int, role: str) -> None:
    members = lay_out("sizes*25", "strides*25")
    slot = find_slot(members, "sizes", index)
    assert (slot.axis, slot.rank, slot.role) == (index, 25, role)


@pytest.mark.parametrize(("count", "role"), [(5, "shape"), (6, "one")])
def test_a_small_array_is_used_whole(count: int, role: str) -> None:
    slot = find_slot(lay_out(f"sizes*{count}"), "sizes", count - 1)
    assert slot.role == role


@pytest.mark.parametrize(("capacity", "used"), [(4, 4), (5, 5), (6, 3), (25, 3)])
def test_a_rank_counts_the_axes_that_are_used(capacity: int, used: int) -> None:
    members = lay_out(f"sizes*{capacity}", f"strides*{capacity}", "dims")
    slot = find_slot(members, "dims")
    assert (slot.role, slot.axis, slot.rank) == ("shape", 0, 1)

    members = lay_out(f"sizes*{capacity}", f"strides*{capacity}", "ndim")
    slot = find_slot(members, "ndim")
    assert (slot.role, slot.axis, slot.rank) == ("rank", -1, used)


@pytest.mark.parametrize("arrays", [(), ("sizes*3", "strides*4")])
def test_a_rank_without_arrays_of_one_length_is_any_number(
    arrays: tuple[str, ...],
) -> None:
    assert find_slot(lay_out(*arrays, "ndim"), "ndim").role == ""


def test_lengths_are_a_shape_where_strides_stand_beside_them() -> None:
    with_strides = lay_out("lengths*3", "strides*3")
    assert find_slot(with_strides, "lengths", 1).role == "shape"
    alone = lay_out("lengths*3", "starts*3")
    assert find_slot(alone, "lengths", 1).role == ""
    of_other_length = lay_out("lengths*3", "strides*2")
    assert find_slot(of_other_length, "lengths", 1).role == ""


def test_an_array_without_a_telling_name_has_axes_and_no_role() -> None:
    slot = find_slot(lay_out("values*4"), "values", 3)
    assert (slot.axis, slot.rank, slot.role) == (3, 4, "")


def test_the_name_of_the_parameter_counts() -> None:
    members = lay_out("data*3")
    assert find_slot(members, "data", 0, prefix="strides").role == "stride"
    assert find_slot(members, "data", 0, prefix="shape").role == "shape"
    assert find_slot(members, "data", 0, prefix="input").role == ""


def test_letters_of_a_vector_are_axes() -> None:
    members = lay_out("size.x", "size.y", "size.z", "x")
    slots = [find_slot(members, name) for name in ("size.x", "size.y", "size.z")]
    assert [(slot.axis, slot.rank, slot.role) for slot in slots] == [
        (0, 3, "shape"),
        (1, 3, "shape"),
        (2, 3, "shape"),
    ]
    # a lone one is a coordinate
    assert find_slot(members, "x").axis == -1


def test_a_letter_is_no_axis_of_what_it_does_not_stand_in() -> None:
    members = lay_out("size.x", "origin.y", "size.width")
    assert (find_slot(members, "size.x").axis, find_slot(members, "size.x").rank) == (
        0,
        1,
    )
    assert find_slot(members, "size.width").axis == -1


def test_real_numbers_are_no_sizes_whatever_they_are_called() -> None:
    members = lay_out("sizes*3", "strides*3", kind=TypeKind.FLOATING)
    slot = find_slot(members, "sizes", 1)
    assert (slot.role, slot.axis, slot.offset) == ("", -1, 4)


def test_parts_of_a_divisor_name_the_divisor() -> None:
    members = lay_out("divisor", "multiplier", "shift")
    multiplier = find_slot(members, "multiplier")
    assert multiplier.divisor == "info.divisor"
    assert multiplier.divisor_part is DivisorPart.MULTIPLIER
    assert (multiplier.offset, multiplier.name) == (4, "info.multiplier")
    assert find_slot(members, "shift").divisor_part is DivisorPart.SHIFT
    assert find_slot(members, "divisor").divisor_part is None


def test_each_axis_has_a_divisor_of_its_own() -> None:
    members = lay_out("sizes*3", "sizes_multiplier*3", "sizes_shift*3")
    part = find_slot(members, "sizes_multiplier", 2)
    assert part.divisor == "info.sizes[2]"
    assert part.role == ""
