"""A launch of `k<float>` as one of `k<double>`, and the other way."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from crawler.validate.recordings.converted_launch import convert_launch, has_same_form
from crawler.validate.recordings.recorded_launch import (
    RecordedBuffer,
    RecordedLaunch,
    RecordedParameter,
    RecordedPointer,
    pack_content,
)
from crawler.validate.values.parameter_types import ParameterType, TypeKind

INT = ParameterType(kind=TypeKind.SIGNED, size=4, alignment=4, type_name="int")
UNSIGNED = replace(INT, kind=TypeKind.UNSIGNED, type_name="unsigned int")
LONG = ParameterType(kind=TypeKind.SIGNED, size=8, alignment=8, type_name="long")
FLOAT = ParameterType(kind=TypeKind.FLOATING, size=4, alignment=4, type_name="float")
DOUBLE = ParameterType(kind=TypeKind.FLOATING, size=8, alignment=8, type_name="double")


def pointer_to(pointee: ParameterType) -> ParameterType:
    return ParameterType(
        kind=TypeKind.POINTER,
        size=8,
        alignment=8,
        type_name=f"{pointee.type_name} *",
        pointee_kind=pointee.kind,
        pointee_size=pointee.size,
    )


def parameter(content: bytes) -> RecordedParameter:
    return RecordedParameter(description="", content=content)


def buffer(content: bytes, after: bytes = b"") -> RecordedBuffer:
    return RecordedBuffer(
        size=len(content),
        before=pack_content(content),
        after=pack_content(after) if after else b"",
    )


FLOATS = struct.pack("<4f", 1, 2, 3, 4)
DOUBLES = struct.pack("<4d", 1, 2, 3, 4)
NUMBERS = struct.pack("<2i", 7, 8)
RECORDED = (pointer_to(FLOAT), pointer_to(INT), FLOAT, INT)
WANTED = (pointer_to(DOUBLE), pointer_to(INT), DOUBLE, INT)
LAUNCH = RecordedLaunch(
    kernel=0,
    arguments="T = float",
    number=1,
    test=0,
    grid=(1, 1, 1),
    block=(4, 1, 1),
    shared_bytes=48,
    seconds=0.5,
    parameters=(
        parameter(bytes(8)),
        parameter(bytes(8)),
        parameter(struct.pack("<f", 0.5)),
        parameter(struct.pack("<i", 4)),
    ),
    pointers=(
        RecordedPointer(owner=0, at=0, buffer=0, offset=8),
        RecordedPointer(owner=1, at=0, buffer=1, offset=4),
    ),
    links=(),
    buffers=(buffer(FLOATS, after=DOUBLES[:16]), buffer(NUMBERS)),
)


def test_numbers_become_wider_and_keep_their_values() -> None:
    launch = convert_launch(LAUNCH, RECORDED, WANTED)
    assert launch
    assert [buffer.read_before() for buffer in launch.buffers] == [DOUBLES, NUMBERS]
    assert launch.parameters[2].content == struct.pack("<d", 0.5)
    assert launch.parameters[3] == LAUNCH.parameters[3]


def test_a_place_in_memory_is_that_of_the_same_element() -> None:
    launch = convert_launch(LAUNCH, RECORDED, WANTED)
    assert launch
    # the third float, and the second whole number as before
    assert [pointer.offset for pointer in launch.pointers] == [16, 4]
    # what pointers are is not a number to be converted
    assert launch.parameters[0] == LAUNCH.parameters[0]


def test_what_the_recorded_launch_left_is_not_what_the_other_would() -> None:
    launch = convert_launch(LAUNCH, RECORDED, WANTED)
    assert launch
    assert launch.buffers[0].after == b""
    assert launch.buffers[1] == LAUNCH.buffers[1]


def test_shared_memory_grows_with_the_widest_and_never_shrinks() -> None:
    wider = convert_launch(LAUNCH, RECORDED, WANTED)
    assert wider
    assert wider.shared_bytes == 96
    narrower = convert_launch(wider, WANTED, RECORDED)
    assert narrower
    assert narrower.shared_bytes == 96
    assert narrower.buffers[0].read_before() == FLOATS


def test_a_launch_of_the_same_types_stays_as_it_is() -> None:
    assert convert_launch(LAUNCH, RECORDED, RECORDED) == LAUNCH


@pytest.mark.parametrize(
    "wanted",
    [
        WANTED[:3],
        (*WANTED[:3], DOUBLE),
        (*WANTED[:2], INT, INT),
        (DOUBLE, *WANTED[1:]),
        (pointer_to(INT), *WANTED[1:]),
    ],
)
def test_parameters_that_do_not_correspond_give_no_launch(
    wanted: tuple[ParameterType, ...],
) -> None:
    assert convert_launch(LAUNCH, RECORDED, wanted) is None


def test_whole_numbers_become_longer_whatever_their_sign() -> None:
    recorded = (*RECORDED[:3], UNSIGNED)
    launch = convert_launch(LAUNCH, recorded, (*RECORDED[:3], LONG))
    assert launch
    assert launch.parameters[3].content == struct.pack("<q", 4)


def test_memory_that_two_parameters_mean_differently_gives_no_launch() -> None:
    aliased = replace(
        LAUNCH,
        pointers=(LAUNCH.pointers[0], replace(LAUNCH.pointers[1], buffer=0)),
    )
    assert convert_launch(aliased, RECORDED, WANTED) is None
    same = (pointer_to(FLOAT), pointer_to(FLOAT), FLOAT, INT)
    both = (pointer_to(DOUBLE), pointer_to(DOUBLE), DOUBLE, INT)
    assert convert_launch(aliased, same, both)


def test_memory_with_pointers_in_it_is_not_converted() -> None:
    link = RecordedPointer(owner=0, at=0, buffer=1, offset=0)
    assert convert_launch(replace(LAUNCH, links=(link,)), RECORDED, WANTED) is None
    elsewhere = replace(link, owner=1, buffer=1)
    assert convert_launch(replace(LAUNCH, links=(elsewhere,)), RECORDED, WANTED)


@pytest.mark.parametrize(
    ("first", "second", "is_same"),
    [
        (FLOAT, FLOAT, True),
        (FLOAT, INT, False),
        (FLOAT, DOUBLE, False),
        (INT, replace(INT, type_name="int32_t"), True),
        (pointer_to(INT), pointer_to(UNSIGNED), False),
        (pointer_to(INT), pointer_to(LONG), False),
    ],
)
def test_forms_are_kinds_and_sizes(
    first: ParameterType, second: ParameterType, is_same: bool
) -> None:
    assert has_same_form(first, second) is is_same
