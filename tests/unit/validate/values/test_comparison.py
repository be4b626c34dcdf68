"""Outputs are held against their golden ones number by number, and what is wrong is told so
that one can find it.
"""

from __future__ import annotations

import math
import struct
from array import array

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.model import BufferRole, Case, CaseBuffer, CaseKind, CasePointer
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.comparison import (
    Mismatch,
    find_mismatch,
    find_mismatches,
    find_wrong_scalars,
)
from crawler.validate.values.element_types import parse_element_type
from crawler.validate.values.scalar_types import ScalarType

FLOAT = ScalarType.FLOAT
NAN_BITS = struct.pack("<I", 0xFFC00001)


def buffer(
    blobs: Blobs,
    gold: bytes,
    *,
    type_: str = "float",
    size: int = 4,
    content: bytes = b"",
    role: BufferRole = BufferRole.OUT,
    written: tuple[int, int] | None = None,
    tolerance: tuple[float, float] = (0.0, 0.0),
    pointers: tuple[CasePointer, ...] = (),
) -> CaseBuffer:
    return CaseBuffer(
        name="out",
        element=type_,
        element_size=size,
        size=len(gold),
        role=role,
        content=blobs.put(content) if content else "",
        gold=blobs.put(gold) if role.is_written else "",
        written=(0, len(gold)) if written is None else written,
        absolute=tolerance[0],
        relative=tolerance[1],
        pointers=pointers,
    )


def floats(*values: float) -> bytes:
    return array("f", values).tobytes()


def test_the_first_wrong_element_is_told_with_how_many_there_are() -> None:
    blobs = Blobs()
    gold, content = (
        floats(*range(3000)),
        floats(*range(2000), 7, *range(2001, 2999), -1),
    )
    mismatch = find_mismatch(buffer(blobs, gold), content, blobs)
    assert mismatch == Mismatch(
        buffer="out",
        code="wrong-value",
        index=2000,
        expected="2000.0",
        actual="7.0",
        wrong_count=2,
        element_count=3000,
    )
    assert (
        str(mismatch)
        == "out[2000] is 7.0 where 2000.0 is expected (2 of 3000 elements are wrong)"
    )


def test_a_lane_of_a_vector_is_named() -> None:
    blobs = Blobs()
    mismatch = find_mismatch(
        buffer(blobs, floats(*range(8)), type_="float4", size=16),
        floats(0, 1, 2, 3, 4, 5, 9, 7),
        blobs,
    )
    assert str(mismatch).startswith("out[1].z is 9.0 where 6.0")


@pytest.mark.parametrize(
    ("type_", "size", "gold", "content"),
    [
        ("float", 4, floats(math.nan), NAN_BITS),
        ("float", 4, floats(0.0), floats(-0.0)),
        ("c10::Half", 2, struct.pack("<e", math.nan), b"\xff\xff"),
        ("__nv_bfloat16", 2, b"\x00\x00", b"\x00\x80"),
        ("c10::Float8_e4m3fn", 1, b"\x7f", b"\xff"),
        (
            "const __half2",
            4,
            struct.pack("<ee", 0.0, 1.0),
            struct.pack("<ee", -0.0, 1.0),
        ),
        ("c10::complex<float>", 8, floats(0.0, 1.0), floats(-0.0, 1.0)),
    ],
)
def test_what_is_equal_as_a_number_is_right(
    type_: str, size: int, gold: bytes, content: bytes
) -> None:
    blobs = Blobs()
    assert (
        find_mismatch(buffer(blobs, gold, type_=type_, size=size), content, blobs)
        is None
    )


@pytest.mark.parametrize(
    ("type_", "size", "gold", "content", "expected"),
    [
        ("float", 4, floats(math.inf), floats(3e38), "inf"),
        ("float", 4, floats(1.0), floats(math.inf), "1.0"),
        ("float", 4, floats(1.0), floats(math.nan), "1.0"),
        ("float", 4, floats(math.nan), floats(1.0), "nan"),
        ("c10::BFloat16", 2, b"\x80\x3f", b"\x00\x40", "1.0"),
        ("__nv_fp8_e5m2", 1, b"\x3c", b"\x40", "1.0"),
        ("__hip_fp8_e4m3_fnuz", 1, b"\x40", b"\x48", "1.0"),
        ("unsigned char", 1, b"\x01", b"\xff", "1"),
        ("long", 8, struct.pack("<q", -1), bytes(8), "-1"),
        ("Foo", 3, b"abc", b"abd", "99"),
        ("HIP_vector_type<float, 2>", 8, floats(1, 2), floats(1, 3), "2.0"),
    ],
)
def test_what_differs_as_a_number_is_wrong_however_wide_the_tolerance_of_infinities(
    type_: str, size: int, gold: bytes, content: bytes, expected: str
) -> None:
    blobs = Blobs()
    mismatch = find_mismatch(
        buffer(blobs, gold, type_=type_, size=size, tolerance=(0, 0.01)), content, blobs
    )
    assert mismatch is not None
    assert mismatch.expected == expected


def test_a_tolerance_is_the_buffers_own() -> None:
    blobs = Blobs()
    gold = floats(100.0, 0.0)
    loose = buffer(blobs, gold, tolerance=(1e-3, 1e-2))
    assert find_mismatch(loose, floats(100.9, 0.0009), blobs) is None
    assert find_mismatch(loose, floats(100.9, 0.0011), blobs) is not None
    assert find_mismatch(buffer(blobs, gold), floats(100.00001, 0.0), blobs) is not None


def test_bytes_that_are_never_written_keep_what_they_were() -> None:
    blobs = Blobs()
    content = floats(1, 2, 3, 4)
    part = buffer(blobs, floats(1, 9, 9, 4), content=content, written=(4, 12))
    assert find_mismatch(part, floats(1, 9, 9, 4), blobs) is None
    mismatch = find_mismatch(part, floats(1, 9, 9, 5), blobs)
    assert mismatch is not None
    assert (mismatch.code, mismatch.index, mismatch.expected, mismatch.actual) == (
        "outside-written",
        3,
        "4.0",
        "5.0",
    )
    unset = buffer(blobs, floats(1, 2) + b"\xff" * 8, written=(0, 8))
    assert find_mismatch(unset, floats(1, 2) + b"\xff" * 8, blobs) is None
    assert find_mismatch(unset, floats(1, 2, 3, 4), blobs) is not None


def test_an_input_stays_as_it_was_but_for_addresses() -> None:
    blobs = Blobs()
    content = bytes(8) + b"abcdefgh"
    table = buffer(
        blobs,
        content,
        content=content,
        role=BufferRole.IN,
        pointers=(CasePointer(at=0, buffer=1),),
    )
    assert find_mismatch(table, b"\x10\x20\x30\x40\0\0\0\0abcdefgh", blobs) is None
    mismatch = find_mismatch(table, content[:-1] + b"x", blobs)
    assert mismatch is not None
    assert mismatch.code == "input-changed"


def test_each_buffer_of_a_case_is_looked_at() -> None:
    blobs = Blobs()
    two = (buffer(blobs, floats(1)), buffer(blobs, floats(2)))
    case = Case(
        name="c", kind=CaseKind.ORDINARY, grid=(1, 1, 1), block=(1, 1, 1), buffers=two
    )
    assert list(find_mismatches(case, (floats(1), floats(2)), blobs)) == []
    assert [
        mismatch.actual
        for mismatch in find_mismatches(case, (floats(3), floats(4)), blobs)
    ] == ["3.0", "4.0"]
    assert [
        mismatch.code for mismatch in find_mismatches(case, (b"", floats(2)), blobs)
    ] == ["wrong-size"]


@settings(deadline=None)
@given(
    st.lists(st.floats(width=32), max_size=50),
    st.data(),
    st.floats(min_value=0, max_value=10),
    st.floats(min_value=0, max_value=0.5),
)
def test_wrong_elements_are_those_that_the_definition_calls_wrong(
    gold: list[float], data: st.DataObject, absolute: float, relative: float
) -> None:
    near = st.one_of(st.floats(width=32), st.sampled_from([*gold, 0.0]))
    content = data.draw(st.lists(near, min_size=len(gold), max_size=len(gold)))

    def right(want: float, have: float) -> bool:
        if math.isnan(want) or math.isnan(have):
            return math.isnan(want) and math.isnan(have)
        if math.isinf(want) or math.isinf(have):
            return want == have
        return want == have or abs(want - have) <= absolute + relative * abs(want)

    wrong = find_wrong_scalars(
        FLOAT, floats(*gold), floats(*content), absolute=absolute, relative=relative
    )
    assert list(wrong) == [
        number
        for number, (w, h) in enumerate(zip(gold, content, strict=True))
        if not right(w, h)
    ]


@settings(deadline=None)
@given(
    st.binary(max_size=64),
    st.binary(max_size=64),
    st.sampled_from(["float", "Foo", "half", "int4", "bool", ""]),
)
def test_any_bytes_can_be_compared_and_equal_ones_are_right(
    gold: bytes, content: bytes, type_: str
) -> None:
    blobs = Blobs()
    stored_buffer = buffer(
        blobs,
        gold,
        type_=type_,
        size={"float": 4, "half": 2, "int4": 16, "bool": 1}.get(type_, 3),
    )
    assert find_mismatch(stored_buffer, gold, blobs) is None
    mismatch = find_mismatch(stored_buffer, content, blobs)
    if type_ in ("Foo", "bool", "int4", ""):
        assert (mismatch is None) == (gold == content)


@pytest.mark.parametrize(
    ("name", "size", "scalar", "lanes"),
    [
        ("unsigned long", 8, "u64", 1),
        ("signed char", 1, "i8", 1),
        ("uint2", 8, "u32", 2),
        ("double3", 24, "double", 3),
        ("float3", 16, "float", 4),
        ("::std::complex<double>", 16, "double", 2),
        ("at::BFloat16", 2, "bfloat16", 1),
        ("hip_bfloat16", 2, "bfloat16", 1),
        ("float *", 8, "u8", 8),
        ("Box<float>", 12, "u8", 12),
        ("half", 4, "u8", 4),
    ],
)
def test_types_are_known_by_their_names_and_sizes(
    name: str, size: int, scalar: str, lanes: int
) -> None:
    element = parse_element_type(name, size)
    assert (str(element.scalar), element.lanes, element.size) == (
        scalar,
        lanes,
        size,
    )
