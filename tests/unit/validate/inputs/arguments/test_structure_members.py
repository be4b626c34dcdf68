"""Structures made of tuples, whose members share their names, and of divisors held as a
multiplier and a shift.
"""

from __future__ import annotations

import struct

import pytest

from crawler.validate.inputs.arguments.argument_layout import (
    ArgumentLayout,
    build_argument_layout,
)
from crawler.validate.inputs.arguments.fast_divisors import (
    DivisorPart,
    compute_divisor_part,
)
from crawler.validate.values.parameter_types import parse_signatures

LEAF = "T = [T = int]"
CLASS = "T = [T = Row]"
DESCRIPTION = f"""entry 0
parameter c 44 4 - 0 0 T = [T = Tensor]
member 0 1 head c 24 4 - 0 0 {CLASS}
member 0 1 head.lengths_ c 12 4 - 0 0 {CLASS}
member 0 1 head.lengths_.value s 4 4 - 0 0 {LEAF}
member 4 1 head.lengths_.value s 4 4 - 0 0 {LEAF}
member 8 1 head.lengths_.value s 4 4 - 0 0 {LEAF}
member 12 1 head.strides_ c 12 4 - 0 0 {CLASS}
member 12 1 head.strides_.value s 4 4 - 0 0 {LEAF}
member 16 1 head.strides_.value s 4 4 - 0 0 {LEAF}
member 20 1 head.strides_.value s 4 4 - 0 0 {LEAF}
member 24 1 head c 12 4 - 0 0 {CLASS}
member 24 1 head.lengths_ c 4 4 - 0 0 {CLASS}
member 24 1 head.lengths_.value s 4 4 - 0 0 {LEAF}
member 28 1 head.lengths_multiplier_ c 4 4 - 0 0 {CLASS}
member 28 1 head.lengths_multiplier_.value u 4 4 - 0 0 {LEAF}
member 32 1 head.lengths_shift_ c 4 4 - 0 0 {CLASS}
member 32 1 head.lengths_shift_.value u 4 4 - 0 0 {LEAF}
member 36 1 rows s 4 4 - 0 0 {LEAF}
member 40 1 last s 4 4 - 0 0 {LEAF}
"""


def shape() -> ArgumentLayout:
    (signature,) = parse_signatures(DESCRIPTION)
    return build_argument_layout(signature, ["of"])


def test_members_of_one_name_are_told_apart_and_rows_of_them_are_arrays() -> None:
    names = [scalar.name for scalar in shape().list_free_scalars()]
    assert names == [
        *(f"of.head@0.lengths_[{index}]" for index in range(3)),
        "of.head@24.lengths_",
        "of.rows",
        "of.last",
    ]


def test_strides_and_divisors_follow_from_what_stands_beside_them() -> None:
    values = {
        f"of.head@0.lengths_[{index}]": size for index, size in enumerate((2, 3, 5))
    }
    (packed,) = shape().pack_arguments(
        {**values, "of.head@24.lengths_": 7, "of.rows": 9, "of.last": 4}
    )
    multiplier = compute_divisor_part(DivisorPart.MULTIPLIER, 7)
    assert struct.unpack("<11I", packed) == (2, 3, 5, 15, 5, 1, 7, multiplier, 3, 9, 4)


@pytest.mark.parametrize(
    ("names", "adds"),
    [
        (("divisor", "multiplier", "shift_right"), False),
        (("div", "mul", "shr"), False),
        (("divisor", "m1", "shift"), True),
    ],
)
def test_parts_of_a_divisor_go_by_many_names(
    names: tuple[str, str, str], adds: bool
) -> None:
    members = "".join(
        f"member {4 * index} 1 {name} u 4 4 - 0 0 {LEAF}\n"
        for index, name in enumerate(names)
    )
    (signature,) = parse_signatures(
        f"entry 0\nparameter c 12 4 - 0 0 T = [T = Divisor]\n{members}"
    )
    layout = build_argument_layout(signature, ["by"])
    assert [scalar.name for scalar in layout.list_free_scalars()] == [f"by.{names[0]}"]
    for by in (2, 3, 7, 10, 64, 1000):
        (packed,) = layout.pack_arguments({f"by.{names[0]}": by})
        _, multiplier, shift = struct.unpack("<3I", packed)
        for number in (0, 1, by - 1, by, 12_345, (1 << 31) - 1):
            upper = number * multiplier >> 32
            assert (upper + number if adds else upper) >> shift == number // by


UNION = f"""entry 0
parameter c 16 8 - 0 0 T = [T = Distribution]
member 0 1 uniform c 8 4 - 0 0 {CLASS}
member 0 1 uniform.min s 4 4 - 0 0 {LEAF}
member 4 1 uniform.max s 4 4 - 0 0 {LEAF}
member 0 1 normal c 8 4 - 0 0 {CLASS}
member 0 1 normal.mean s 4 4 - 0 0 {LEAF}
member 4 1 normal.deviation s 4 4 - 0 0 {LEAF}
member 8 1 kind s 4 4 - 0 0 {LEAF}
"""


@pytest.mark.parametrize(
    ("spoken", "arm"),
    [
        ({"uniform", "max"}, ("uniform.min", "uniform.max")),
        ({"normal"}, ("normal.mean", "normal.deviation")),
    ],
)
def test_of_a_union_what_the_kernel_speaks_of_has_a_value(
    spoken: set[str], arm: tuple[str, str]
) -> None:
    (signature,) = parse_signatures(UNION)
    layout = build_argument_layout(signature, ["dist"], spoken)
    assert [scalar.name for scalar in layout.list_free_scalars()] == [
        *(f"dist.{name}" for name in arm),
        "dist.kind",
    ]
    (packed,) = layout.pack_arguments(
        {f"dist.{arm[0]}": 5, f"dist.{arm[1]}": 6, "dist.kind": 7}
    )
    assert struct.unpack("<3i4x", packed) == (5, 6, 7)


LAYOUT = """entry 0
parameter c 24 8 - 0 0 T = [T = Tensor<Layout<Pair<int, int>, Pair<int, One>>>]
member 0 1 rep c 16 4 - 0 0 T = [T = tiles::Layout<Pair<int, int>, Pair<int, int>>]
member 0 1 rep.first c 8 4 - 0 0 T = [T = Pair<int, int>]
member 0 1 rep.first.first s 4 4 - 0 0 T = [T = int]
member 4 1 rep.first.rest s 4 4 - 0 0 T = [T = int]
member 8 1 rep.rest c 8 4 - 0 0 T = [T = Rest<Pair<int, int>>]
member 8 1 rep.rest.first s 4 4 - 0 0 T = [T = int]
member 12 1 rep.rest.rest s 4 4 - 0 0 T = [T = int]
member 16 1 count s 4 4 - 0 0 T = [T = int]
"""


def test_strides_of_a_layout_without_names_lay_rows_apart() -> None:
    (signature,) = parse_signatures(LAYOUT)
    layout = build_argument_layout(signature, ["c"])
    assert [scalar.name for scalar in layout.list_free_scalars()] == [
        "c.rep.first.first",
        "c.rep.first.rest",
        "c.count",
    ]
    (packed,) = layout.pack_arguments(
        {"c.rep.first.first": 6, "c.rep.first.rest": 5, "c.count": 9}
    )
    rows, columns, inner, outer, count = struct.unpack("<5i4x", packed)
    assert (rows, columns, count) == (6, 5, 9)
    assert (
        len(
            {
                row * inner + column * outer
                for row in range(rows)
                for column in range(columns)
            }
        )
        == rows * columns
    )


@pytest.mark.parametrize("divisor", [1, 2, 3, 5, 7, 8, 12, 300, 4095, 4096])
@pytest.mark.parametrize("number", [0, 1, 6, 7, 4095, 65537, (1 << 31) - 1])
def test_a_number_is_divided_by_its_parts(divisor: int, number: int) -> None:
    upper = number * compute_divisor_part(DivisorPart.MULTIPLIER, divisor) >> 32
    assert (upper + number) >> compute_divisor_part(
        DivisorPart.SHIFT, divisor
    ) == number // divisor
    alone = number * compute_divisor_part(DivisorPart.MULTIPLIER_ALONE, divisor) >> 32
    assert (
        divisor == 1
        or alone >> compute_divisor_part(DivisorPart.SHIFT_ALONE, divisor)
        == number // divisor
    )


BATCHES = """entry 0
parameter c 12 4 - 0 0 T = [T = Tensor<Layout<Pair<Int<16>, int>, Pair<Int<2>, int>>>]
member 0 1 rep c 12 4 - 0 0 T = [T = Layout<Pair<Pair<Int<16>, Int<4>>, int>, Pair<Int<1>, int>>]
member 0 1 rep.first c 4 4 - 0 0 T = [T = Pair<Pair<Int<16>, Int<4>>, int>]
member 0 1 rep.first.rest s 4 4 - 0 0 T = [T = int]
member 4 1 rep.rest c 4 4 - 0 0 T = [T = Pair<Int<1>, int>]
member 4 1 rep.rest.rest s 4 4 - 0 0 T = [T = int]
member 8 1 count s 4 4 - 0 0 T = [T = int]
"""


def test_tiles_of_a_constant_size_do_not_lie_upon_each_other() -> None:
    (signature,) = parse_signatures(BATCHES)
    (packed,) = build_argument_layout(signature, ["c"]).pack_arguments(
        {"c.rep.first.rest": 6}
    )
    tiles, stride, _ = struct.unpack("<3i", packed)
    assert tiles == 6
    assert stride >= 16 * 4


STRIDES = """entry 0
parameter c 8 4 - 0 0 T = [T = Pair<int, int>]
member 0 1 first s 4 4 - 0 0 T = [T = int]
member 4 1 rest s 4 4 - 0 0 T = [T = int]
parameter c 8 4 - 0 0 T = [T = Pair<int, int>]
member 0 1 first s 4 4 - 0 0 T = [T = int]
member 4 1 rest s 4 4 - 0 0 T = [T = int]
"""


def test_what_a_type_says_to_be_strides_lies_further_apart_than_a_tile_is_wide() -> (
    None
):
    (signature,) = parse_signatures(STRIDES)
    layout = build_argument_layout(
        signature, ["shape", "ld"], frozenset(), frozenset({"ld"})
    )
    assert [scalar.name for scalar in layout.list_free_scalars()] == [
        "shape.first",
        "shape.rest",
    ]
    shape, ld = (
        struct.unpack("<2i", argument)
        for argument in layout.pack_arguments({"shape.first": 128, "shape.rest": 256})
    )
    assert shape == (128, 256)
    assert ld[0] >= 256
    assert ld[1] >= 16 * ld[0]


ALONE = """entry 0
parameter c 16 4 - 0 0 T = [T = const tiles::Layout<Pair<int, int>, Pair<int, int>>]
member 0 1 first c 8 4 - 0 0 T = [T = Pair<int, int>]
member 0 1 first.first s 4 4 - 0 0 T = [T = int]
member 4 1 first.rest s 4 4 - 0 0 T = [T = int]
member 8 1 rest c 8 4 - 0 0 T = [T = Rest<Pair<int, int>>]
member 8 1 rest.first s 4 4 - 0 0 T = [T = int]
member 12 1 rest.rest s 4 4 - 0 0 T = [T = int]
"""


def test_a_parameter_that_is_a_layout_itself_lays_rows_apart_too() -> None:
    (signature,) = parse_signatures(ALONE)
    layout = build_argument_layout(signature, ["operand"])
    assert [scalar.name for scalar in layout.list_free_scalars()] == [
        "operand.first.first",
        "operand.first.rest",
    ]
    (packed,) = layout.pack_arguments(
        {"operand.first.first": 6, "operand.first.rest": 5}
    )
    rows, columns, inner, outer = struct.unpack("<4i", packed)
    assert (
        len(
            {
                row * inner + column * outer
                for row in range(rows)
                for column in range(columns)
            }
        )
        == rows * columns
    )


@pytest.mark.parametrize("named", [True, False])
def test_a_layout_of_many_axes_has_two_elements_along_each_and_none_upon_another(
    named: bool,
) -> None:
    axes = 7
    members = "".join(
        f"member {index * 4 + half} 1 {name}.v{index if named else ''} s 4 4 - 0 0 T = [T = int]\n"
        for name, half in (("shape", 0), ("rest", 4 * axes))
        for index in range(axes)
    )
    description = (
        f"entry 0\nparameter c {8 * axes} 4 - 0 0 T = [T = Layout<Row<int, 7>, Far<int, 7>>]\n"
        f"member 0 1 shape c {4 * axes} 4 - 0 0 T = [T = Row<int, 7>]\n{members}"
    )
    (signature,) = parse_signatures(description)
    layout = build_argument_layout(signature, ["many"])
    assert not layout.list_free_scalars()
    numbers = struct.unpack(f"<{2 * axes}i", layout.pack_arguments({})[0])
    assert numbers[:axes] == (2,) * axes
    places = {0}
    for stride in numbers[axes:]:
        places |= {place + stride for place in places}
    assert len(places) == 2**axes
    assert max(places) < 1 << 10
