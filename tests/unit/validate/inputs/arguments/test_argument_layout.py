"""Structures behind a pointer are filled number by number, and the pointers in them lead to
buffers of their own.
"""

from __future__ import annotations

import struct

from crawler.validate.emulator.launch import Pointer
from crawler.validate.evidence.launch_configuration import LaunchConfiguration
from crawler.validate.inputs.arguments.argument_layout import (
    ArgumentLayout,
    build_argument_layout,
)
from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.trial import Trial
from crawler.validate.inputs.trials.trial_memory import TrialMemory
from crawler.validate.values.parameter_types import parse_signatures

DESCRIPTION = """entry 0
parameter p 8 8 c 24 1 T = [T = const Leaf *]
beyond 0 1 index s 4 4 - 0 0 T = [T = int]
beyond 8 1 gain f 8 8 - 0 0 T = [T = double]
beyond 16 1 rows p 8 8 f 4 0 T = [T = float *]
parameter s 4 4 - 0 0 T = [T = int]
"""


def build_layout() -> ArgumentLayout:
    (signature,) = parse_signatures(DESCRIPTION)
    return build_argument_layout(signature, ["leaf", "n"])


def build_trial(layout: ArgumentLayout, sizes: tuple[int, int]) -> Trial:
    elements = tuple(slot.element for slot in layout.buffer_slots if slot.element)
    contents = (
        FillPattern(Filling.SMALL_INTEGERS, 4),
        FillPattern(Filling.BOUNDED_REALS, 4),
    )
    memory = TrialMemory(
        patterns=contents, elements=elements, sizes=sizes, leading_bytes=(0, 4)
    )
    configuration = LaunchConfiguration(
        grid=(1, 1, 1),
        block=(1, 1, 1),
        shared_bytes=0,
        scalars={"n": 3},
        free_variables={},
    )
    return Trial(configuration=configuration, memory=memory, seed=1)


def test_what_a_structure_points_to_is_a_buffer_of_its_own() -> None:
    leaf, rows = build_layout().buffer_slots
    assert (leaf.name, leaf.parent_slot) == ("leaf", -1)
    assert (rows.name, rows.parent_slot, rows.offset) == ("leaf.rows", 0, 16)
    assert rows.element is not None
    assert rows.element.name == "float"


def test_each_element_holds_valid_numbers_and_points_to_the_same_place() -> None:
    leaves, rows = build_trial(build_layout(), (3 * 24, 80)).build_buffers(
        build_layout()
    )
    assert [offset for offset, _ in leaves.pointers] == [16, 40, 64]
    assert {to for _, to in leaves.pointers} == {Pointer(buffer=1, offset=4)}
    assert not rows.pointers
    for index, gain, address in struct.iter_unpack("<i4xdq", leaves.content or b""):
        assert 0 <= index < 4
        assert 0.0 <= gain < 4.0
        assert address == 0


def test_only_what_is_passed_stands_among_the_arguments() -> None:
    first, second = build_trial(build_layout(), (24, 80)).build_arguments(
        build_layout()
    )
    assert first.pointers == ((0, Pointer(buffer=0, offset=0)),)
    assert second.content == struct.pack("<i", 3)


def test_a_table_of_pointers_leads_to_what_they_point_to() -> None:
    (signature,) = parse_signatures(
        "entry 0\nparameter p 8 8 p 8 1 T = [T = unsigned char *const *]\n"
    )
    table, rows = build_argument_layout(signature, ["columns"]).buffer_slots
    assert table.element is not None
    assert (table.element.size, table.element.fields) == (8, ())
    assert (rows.name, rows.parent_slot) == ("columns[]", 0)
    assert rows.element is not None
    assert (rows.element.name, rows.element.size) == ("unsigned char", 1)


def test_strides_with_no_shape_beside_them_are_so_far_apart_that_no_row_lies_upon_another() -> (
    None
):
    description = """entry 0
parameter c 24 8 - 0 0 T = [T = View]
member 0 1 data p 8 8 f 4 0 T = [T = float *]
member 8 4 strides_ s 4 4 - 0 0 T = [T = int]
"""
    (signature,) = parse_signatures(description)
    (content,) = build_argument_layout(signature, ["view"]).pack_arguments({})
    nearest, *further = struct.unpack("4i", content[8:])
    assert nearest > 1
    assert all(
        later >= 16 * before
        for before, later in zip((nearest, *further), further, strict=False)
    )
