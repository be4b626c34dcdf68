"""Where comparisons end: bytes behind the last number, pointers at a buffer's end, one value."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.model import BufferRole, CaseBuffer, CasePointer
from crawler.validate.values.blobs import Blobs
from crawler.validate.values.comparison import find_mismatch, is_constant
from crawler.validate.values.scalar_types import ScalarType


def build_output(blobs: Blobs, gold: bytes, *pointers: CasePointer) -> CaseBuffer:
    return CaseBuffer(
        name="out",
        element="float",
        element_size=4,
        size=len(gold),
        role=BufferRole.OUT,
        gold=blobs.put(gold),
        written=(0, len(gold)),
        pointers=pointers,
    )


def test_a_wrong_byte_behind_the_last_number_is_counted_as_a_byte() -> None:
    blobs = Blobs()
    mismatch = find_mismatch(build_output(blobs, bytes(10)), bytes(9) + b"\7", blobs)
    assert mismatch
    assert (mismatch.code, mismatch.index) == ("wrong-value", 9)
    assert (mismatch.wrong_count, mismatch.element_count) == (1, 2)
    assert (mismatch.expected, mismatch.actual) == ("0", "7")


def test_one_wrong_number_is_one() -> None:
    blobs = Blobs()
    changed = bytes(4) + b"\0\0\x80\x3f"
    mismatch = find_mismatch(build_output(blobs, bytes(8)), changed, blobs)
    assert str(mismatch) == (
        "out[1] is 1.0 where 0.0 is expected (1 of 2 elements are wrong)"
    )


@pytest.mark.parametrize(("position", "is_right"), [(0, True), (4, True), (8, False)])
def test_an_address_that_a_buffer_cuts_hides_no_more_than_its_bytes(
    position: int, is_right: bool
) -> None:
    blobs = Blobs()
    pointer = CasePointer(at=position, buffer=0)
    # Its last number is the kernel's own where the address begins in front of it.
    output = build_output(blobs, bytes(12), pointer)
    content = bytearray(12)
    end = min(position + 8, 12)
    content[position:end] = b"\1" * (end - position)
    if not is_right:
        content[0] = 0x3F
    mismatch = find_mismatch(output, bytes(content), blobs)
    assert (mismatch is None) is is_right


def test_a_pointer_at_the_end_of_a_buffer_hides_nothing_and_adds_nothing() -> None:
    blobs = Blobs()
    output = build_output(blobs, bytes(8), CasePointer(at=8, buffer=0))
    assert find_mismatch(output, bytes(8), blobs) is None
    assert find_mismatch(output, b"\1" + bytes(7), blobs)


@given(count=st.integers(1, 50), value=st.binary(min_size=4, max_size=4))
def test_an_output_of_one_value_alone_is_constant(count: int, value: bytes) -> None:
    content = value * count
    assert is_constant(ScalarType.FLOAT, content)
    # A number that is cut, or another one, makes it none.
    assert not is_constant(ScalarType.FLOAT, content + value[:3])
    other = bytes([value[0] ^ 1]) + value[1:]
    assert not is_constant(ScalarType.FLOAT, content + other)
