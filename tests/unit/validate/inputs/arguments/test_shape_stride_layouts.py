"""What numbers in `Layout<Shape, Stride>` mean is read off the types, whatever their names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.inputs.arguments.shape_stride_layouts import (
    DEFAULT_SPAN,
    LayoutRole,
    classify_layout_member,
    compute_stride,
    is_nested_member,
)
from crawler.validate.values.parameter_types import (
    ParameterType,
    StructureMember,
    TypeKind,
)

SHAPE = "cute::tuple<int, int>"
STRIDE = "cute::tuple<long, cute::C<1>>"
LAYOUT = f"cute::Layout<{SHAPE}, {STRIDE}>"


def make_member(
    name: str,
    offset: int,
    size: int = 4,
    *,
    kind: TypeKind = TypeKind.SIGNED,
    type_name: str = "int",
    count: int = 1,
) -> StructureMember:
    member_type = ParameterType(kind=kind, size=size, alignment=4, type_name=type_name)
    return StructureMember(name=name, offset=offset, count=count, type=member_type)


def make_class(name: str, offset: int, size: int, type_name: str) -> StructureMember:
    return make_member(name, offset, size, kind=TypeKind.CLASS, type_name=type_name)


def classify(
    members: list[StructureMember], name: str, index: int = 0, enclosing: str = "Params"
) -> LayoutRole:
    member = next(member for member in members if member.name == name)
    return classify_layout_member(member, index, members, enclosing)


def make_layout(
    layout: str = LAYOUT, shape: str = SHAPE, strides: int = 1
) -> list[StructureMember]:
    """Return a layout with two extents in its shape, and strides behind it."""
    return [
        make_class("a", 0, 8 + 4 * strides, layout),
        make_class("a.first", 0, 8, shape),
        make_member("a.first.m", 0),
        make_member("a.first.n", 4),
        *(make_member(f"a.rest{number}", 8 + 4 * number) for number in range(strides)),
    ]


def test_what_is_no_part_of_the_shape_is_a_stride() -> None:
    members = make_layout()
    assert classify(members, "a.rest0") == LayoutRole("apart", 0, 1, 1)
    assert classify(members, "a.first.m") == LayoutRole()
    assert classify(members, "a.first.n") == LayoutRole()


@pytest.mark.parametrize(
    "layout", [f"const cute::Layout<{SHAPE}, X>", f"Layout<{SHAPE}>", LAYOUT]
)
def test_any_class_of_that_name_is_a_layout(layout: str) -> None:
    assert classify(make_layout(layout), "a.rest0").role == "apart"


@pytest.mark.parametrize("layout", [f"MyLayout<{SHAPE}, X>", "Layout", "Tensor<int>"])
def test_a_class_of_another_name_is_none(layout: str) -> None:
    assert classify(make_layout(layout), "a.rest0") == LayoutRole()


def test_a_layout_whose_shape_is_nowhere_tells_nothing() -> None:
    members = make_layout(shape="cute::tuple<int, long>")
    assert classify(members, "a.rest0") == LayoutRole()


def test_strides_are_numbered_in_their_order() -> None:
    members = make_layout(strides=3)
    roles = [classify(members, f"a.rest{number}") for number in range(3)]
    assert [(role.axis, role.stride_count) for role in roles] == [
        (0, 3),
        (1, 3),
        (2, 3),
    ]


def test_elements_of_an_array_are_strides_of_their_own() -> None:
    members = [
        make_class("a", 0, 24, LAYOUT),
        make_class("a.first", 0, 8, SHAPE),
        make_member("a.first.m", 0, count=2),
        make_member("a.rest", 8, count=3),
        make_member("a.last", 20),
    ]
    assert classify(members, "a.rest", index=2) == LayoutRole("apart", 2, 4, 1)
    assert classify(members, "a.last") == LayoutRole("apart", 3, 4, 1)


@pytest.mark.parametrize(("strides", "role"), [(5, ""), (6, "pair")])
def test_extents_of_many_axes_are_small(strides: int, role: str) -> None:
    assert classify(make_layout(strides=strides), "a.first.m").role == role


@pytest.mark.parametrize(
    ("constants", "span"),
    [
        ("int, int", 1),
        ("cute::C<8>, int", 8),
        ("cute::C<8>, std::integral_constant<int, 16>", 128),
        ("cute::C<8>, cute::C<64>", 256),
        ("cute::C<0>, cute::C<4>", 4),
    ],
)
def test_constants_of_the_shape_are_a_tile(constants: str, span: int) -> None:
    shape = f"cute::tuple<{constants}>"
    members = make_layout(f"cute::Layout<{shape}, {STRIDE}>", shape)
    assert classify(members, "a.rest0").span == span


def test_the_innermost_layout_counts() -> None:
    outer_shape = "cute::tuple<cute::C<4>, int>"
    members = [
        make_class("o", 0, 24, f"Layout<{outer_shape}, X>"),
        make_class("o.first", 0, 4, outer_shape),
        make_member("o.first.n", 0),
        make_class("o.inner", 4, 12, LAYOUT),
        make_class("o.inner.first", 4, 8, SHAPE),
        make_member("o.inner.first.m", 4, count=2),
        make_member("o.inner.rest", 12),
        make_member("o.rest", 16),
    ]
    assert classify(members, "o.inner.rest") == LayoutRole("apart", 0, 1, 1)
    outer = classify(members, "o.rest")
    assert (outer.role, outer.span) == ("apart", 4)


def test_the_parameter_itself_may_be_a_layout() -> None:
    members = [
        make_class("first", 0, 8, SHAPE),
        make_member("first.m", 0, count=2),
        make_member("rest", 8),
    ]
    assert classify(members, "rest", enclosing=LAYOUT).role == "apart"
    assert classify(members, "rest", enclosing="Params").role == ""


def test_a_number_behind_a_layout_is_none_of_its_strides() -> None:
    members = [*make_layout(), make_member("alpha", 12)]
    assert classify(members, "alpha") == LayoutRole()
    assert classify(members, "a.rest0").stride_count == 1


def test_a_pointer_in_a_layout_is_no_stride() -> None:
    members = make_layout()
    members[-1] = make_member("a.rest0", 8, kind=TypeKind.POINTER)
    assert classify(members, "a.rest0") == LayoutRole()


@pytest.mark.parametrize("layout", ["Layout<A<int, B(int, long)>, C>", "Layout<A>"])
def test_commas_within_an_argument_do_not_end_it(layout: str) -> None:
    shape = "A<int, B(int, long)>" if "," in layout else "A"
    assert classify(make_layout(layout, shape), "a.rest0").role == "apart"


@given(
    stride_count=st.integers(1, 8),
    span=st.sampled_from([1, DEFAULT_SPAN, 256]),
    axis=st.integers(0, 6),
)
def test_rows_of_one_axis_end_before_the_next_begin(
    stride_count: int, span: int, axis: int
) -> None:
    nearer, further = (
        compute_stride(number, stride_count, span) for number in (axis, axis + 1)
    )
    assert 1 < nearer <= further <= 1 << 30


def test_many_axes_lie_a_power_of_two_apart() -> None:
    assert [compute_stride(axis, 6, 32) for axis in (0, 1, 5, 40)] == [
        2,
        4,
        64,
        1 << 30,
    ]


def test_few_axes_have_room_for_their_span() -> None:
    assert [compute_stride(axis, 2) for axis in range(5)] == [
        64,
        64**2,
        64**3,
        64**4,
        64**4,
    ]
    assert compute_stride(0, 3, 32) == 40 * 32
    assert compute_stride(0, 4) == 16
    assert compute_stride(3, 2, 256) == 1 << 30


@pytest.mark.parametrize(
    ("inner", "is_nested"),
    [
        (make_member("a.x", 0), True),
        (make_member("a.x.y", 7), True),
        (make_member("a.x", 8), False),
        (make_member("ab.x", 0), False),
        (make_member("a", 0), False),
    ],
)
def test_a_member_lies_in_a_class_by_name_and_place(
    inner: StructureMember, is_nested: bool
) -> None:
    assert is_nested_member(inner, make_class("a", 0, 8, "A")) is is_nested
    assert not is_nested_member(inner, make_member("a", 0, 8))
