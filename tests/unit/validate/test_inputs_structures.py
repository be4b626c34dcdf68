"""Structures behind a pointer are filled number by number, and the pointers in them lead to buffers of their own."""

from __future__ import annotations

import struct

from crawler.validate.evidence.configuration import Configuration
from crawler.validate.inputs.contents import Content, Filling
from crawler.validate.inputs.slots import Layout, layout
from crawler.validate.inputs.trials import Memory, Trial
from crawler.validate.simt.launch import Pointer
from crawler.validate.simt.signature import signatures

TOLD = """entry 0
parameter p 8 8 c 24 1 T = [T = const Leaf *]
beyond 0 1 index s 4 4 - 0 0 T = [T = int]
beyond 8 1 gain f 8 8 - 0 0 T = [T = double]
beyond 16 1 rows p 8 8 f 4 0 T = [T = float *]
parameter s 4 4 - 0 0 T = [T = int]
"""


def shape() -> Layout:
    (signature,) = signatures(TOLD)
    return layout(signature, ["leaf", "n"])


def trial(of: Layout, sizes: tuple[int, int]) -> Trial:
    elements = tuple(each.element for each in of.slots if each.element)
    contents = (Content(Filling.SMALL, 4), Content(Filling.FRACTIONS, 4))
    memory = Memory(contents=contents, elements=elements, sizes=sizes, before=(0, 4))
    configuration = Configuration(grid=(1, 1, 1), block=(1, 1, 1), shared_bytes=0, scalars={"n": 3}, free={})
    return Trial(configuration=configuration, memory=memory, seed=1)


def test_what_a_structure_points_to_is_a_buffer_of_its_own() -> None:
    leaf, rows = shape().slots
    assert (leaf.name, leaf.inside) == ("leaf", -1)
    assert (rows.name, rows.inside, rows.at) == ("leaf.rows", 0, 16)
    assert rows.element is not None
    assert rows.element.name == "float"


def test_each_element_holds_valid_numbers_and_points_to_the_same_place() -> None:
    leaves, rows = trial(shape(), (3 * 24, 80)).buffers(shape())
    assert [at for at, _ in leaves.pointers] == [16, 40, 64]
    assert {to for _, to in leaves.pointers} == {Pointer(buffer=1, offset=4)}
    assert not rows.pointers
    for index, gain, address in struct.iter_unpack("<i4xdq", leaves.content or b""):
        assert 0 <= index < 4
        assert 0.0 <= gain < 4.0
        assert address == 0


def test_only_what_is_passed_stands_among_the_arguments() -> None:
    first, second = trial(shape(), (24, 80)).arguments(shape())
    assert first.pointers == ((0, Pointer(buffer=0, offset=0)),)
    assert second.content == struct.pack("<i", 3)


def test_a_table_of_pointers_leads_to_what_they_point_to() -> None:
    (signature,) = signatures("entry 0\nparameter p 8 8 p 8 1 T = [T = unsigned char *const *]\n")
    table, rows = layout(signature, ["columns"]).slots
    assert table.element is not None
    assert (table.element.size, table.element.fields) == (8, ())
    assert (rows.name, rows.inside) == ("columns[]", 0)
    assert rows.element is not None
    assert (rows.element.name, rows.element.size) == ("unsigned char", 1)


def test_strides_with_no_shape_beside_them_are_so_far_apart_that_no_row_lies_upon_another() -> None:
    told = """entry 0
parameter c 24 8 - 0 0 T = [T = View]
member 0 1 data p 8 8 f 4 0 T = [T = float *]
member 8 4 strides_ s 4 4 - 0 0 T = [T = int]
"""
    (signature,) = signatures(told)
    (content,) = layout(signature, ["view"]).packed({})
    nearest, *further = struct.unpack("4i", content[8:])
    assert nearest > 1
    assert all(later >= 16 * before for before, later in zip((nearest, *further), further, strict=False))
