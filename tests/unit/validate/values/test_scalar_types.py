"""Numbers stand in memory as devices have them, and come back from there."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.values.scalar_types import ScalarType, decode, encode

EIGHT_BITS = (
    ScalarType.E4M3,
    ScalarType.E5M2,
    ScalarType.E4M3FNUZ,
    ScalarType.E5M2FNUZ,
)
INTEGERS = [scalar for scalar in ScalarType if not scalar.is_real]


@pytest.mark.parametrize("scalar", list(ScalarType))
def test_a_number_takes_the_bytes_of_its_type(scalar: ScalarType) -> None:
    assert len(encode(scalar, [0, 1, 1])) == 3 * scalar.size


@pytest.mark.parametrize("scalar", INTEGERS)
def test_the_ends_of_a_range_are_encoded_and_what_is_beyond_takes_them(
    scalar: ScalarType,
) -> None:
    low, high = scalar.integer_range
    content = encode(scalar, [low - 1, low, high, high + 1])
    assert list(decode(scalar, content)) == [low, low, high, high]


@given(st.lists(st.floats(width=16, allow_nan=False)))
def test_halves_are_encoded_exactly(values: list[float]) -> None:
    assert list(decode(ScalarType.HALF, encode(ScalarType.HALF, values))) == values


@pytest.mark.parametrize("scalar", EIGHT_BITS)
def test_every_byte_of_an_fp8_type_comes_back(scalar: ScalarType) -> None:
    for byte, value in enumerate(decode(scalar, bytes(range(256)))):
        if math.isnan(value):
            continue
        (encoded,) = encode(scalar, [value])
        (again,) = decode(scalar, bytes([encoded]))
        assert again == value, byte


@pytest.mark.parametrize(
    ("scalar", "byte", "value"),
    [
        # tables 1 and 2 of the OCP specification
        (ScalarType.E4M3, 0x7E, 448.0),
        (ScalarType.E4M3, 0x01, 2.0**-9),
        (ScalarType.E4M3, 0x08, 2.0**-6),
        (ScalarType.E5M2, 0x7B, 57344.0),
        (ScalarType.E5M2, 0x7C, math.inf),
        (ScalarType.E5M2, 0xFC, -math.inf),
        (ScalarType.E5M2, 0x01, 2.0**-16),
        (ScalarType.E4M3FNUZ, 0x7F, 240.0),
        (ScalarType.E5M2FNUZ, 0x7F, 57344.0),
    ],
)
def test_fp8_has_the_values_of_its_specification(
    scalar: ScalarType, byte: int, value: float
) -> None:
    assert decode(scalar, bytes([byte])) == [value]
    assert encode(scalar, [value]) == bytes([byte])


@pytest.mark.parametrize(
    ("scalar", "byte"),
    [
        (ScalarType.E4M3, 0x7F),
        (ScalarType.E5M2, 0x7F),
        (ScalarType.E4M3FNUZ, 0x80),
        (ScalarType.E5M2FNUZ, 0x80),
    ],
)
def test_fp8_has_a_nan(scalar: ScalarType, byte: int) -> None:
    assert math.isnan(decode(scalar, bytes([byte]))[0])
    assert encode(scalar, [math.nan]) == bytes([byte])


@given(st.sampled_from(EIGHT_BITS), st.floats(-500, 500))
def test_no_other_fp8_number_is_nearer(scalar: ScalarType, value: float) -> None:
    (encoded,) = decode(scalar, encode(scalar, [value]))
    finite = [
        number for number in decode(scalar, bytes(range(256))) if math.isfinite(number)
    ]
    assert abs(encoded - value) == min(abs(number - value) for number in finite)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (1.0, 0x3F80),
        (1.0 + 2.0**-8, 0x3F80),  # a tie goes to the even one
        (1.0 + 3 * 2.0**-8, 0x3F82),
        (1.0 + 2.0**-8 + 2.0**-20, 0x3F81),
        (math.inf, 0x7F80),
        (-math.inf, 0xFF80),
    ],
)
def test_bfloat16_rounds_to_the_nearest_even(value: float, word: int) -> None:
    assert encode(ScalarType.BFLOAT16, [value]) == struct.pack("<H", word)


def test_nan_stays_nan_in_every_real_type() -> None:
    for scalar in ScalarType:
        if scalar.is_real:
            assert math.isnan(decode(scalar, encode(scalar, [math.nan]))[0])


def test_what_is_left_at_the_end_is_no_number() -> None:
    content = encode(ScalarType.FLOAT, [1.5, 2.5]) + b"\x00\x00\x00"
    assert list(decode(ScalarType.FLOAT, content)) == [1.5, 2.5]


@pytest.mark.parametrize(
    ("scalar", "roundoff"),
    [
        (ScalarType.FLOAT, 2.0**-24),
        (ScalarType.DOUBLE, 2.0**-53),
        (ScalarType.HALF, 2.0**-11),
        (ScalarType.BFLOAT16, 2.0**-8),
        (ScalarType.I32, 0.0),
    ],
)
def test_the_roundoff_is_half_the_distance_behind_one(
    scalar: ScalarType, roundoff: float
) -> None:
    assert scalar.unit_roundoff == roundoff
