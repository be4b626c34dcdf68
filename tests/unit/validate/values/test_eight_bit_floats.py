"""Bytes and values of the four floats of eight bits, held against their published tables."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.values.eight_bit_floats import find_nearest_byte, list_byte_values

FORMS = ("e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz")
LARGEST = {"e4m3": 448.0, "e5m2": 57344.0, "e4m3fnuz": 240.0, "e5m2fnuz": 57344.0}
SMALLEST = {
    "e4m3": 2.0**-9,
    "e5m2": 2.0**-16,
    "e4m3fnuz": 2.0**-10,
    "e5m2fnuz": 2.0**-17,
}
REALS = st.floats(allow_nan=False, allow_infinity=False, width=32)


def list_finite_values(form: str) -> list[float]:
    return [value for value in list_byte_values(form) if math.isfinite(value)]


@pytest.mark.parametrize("form", FORMS)
def test_the_extremes_are_those_of_the_specification(form: str) -> None:
    values = list_finite_values(form)
    positive = [value for value in values if value > 0]
    assert (max(values), min(values)) == (LARGEST[form], -LARGEST[form])
    assert min(positive) == SMALLEST[form]


@pytest.mark.parametrize(
    ("form", "nans", "infinities"),
    [
        ("e4m3", [0x7F, 0xFF], []),
        ("e5m2", [0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF], [0x7C, 0xFC]),
        ("e4m3fnuz", [0x80], []),
        ("e5m2fnuz", [0x80], []),
    ],
)
def test_only_some_bytes_are_no_number(
    form: str, nans: list[int], infinities: list[int]
) -> None:
    values = list_byte_values(form)
    assert [byte for byte in range(256) if math.isnan(values[byte])] == nans
    assert [byte for byte in range(256) if math.isinf(values[byte])] == infinities


@pytest.mark.parametrize(
    ("form", "byte", "value"),
    [
        ("e4m3", 0x38, 1.0),
        ("e4m3", 0x39, 1.125),
        ("e4m3", 0xB8, -1.0),
        ("e5m2", 0x3C, 1.0),
        ("e5m2", 0x3D, 1.25),
        ("e4m3fnuz", 0x40, 1.0),
        ("e5m2fnuz", 0x40, 1.0),
        # numbers without a leading one
        ("e4m3", 0x07, 7 * 2.0**-9),
        ("e5m2", 0x03, 3 * 2.0**-16),
    ],
)
def test_a_byte_has_its_value(form: str, byte: int, value: float) -> None:
    assert list_byte_values(form)[byte] == value


@pytest.mark.parametrize("form", ["e4m3", "e5m2"])
def test_zero_has_two_signs_where_the_form_has_them(form: str) -> None:
    values = list_byte_values(form)
    assert math.copysign(1, values[0x00]) == 1
    assert values[0x80] == 0
    assert math.copysign(1, values[0x80]) == -1


@pytest.mark.parametrize("form", FORMS)
def test_positive_values_rise_with_their_bytes(form: str) -> None:
    values = [value for value in list_byte_values(form)[:128] if math.isfinite(value)]
    assert values == sorted(values)
    assert len(set(values)) == len(values)


@pytest.mark.parametrize("form", FORMS)
def test_every_value_is_nearest_to_itself(form: str) -> None:
    values = list_byte_values(form)
    for value in values:
        if not math.isnan(value):
            assert values[find_nearest_byte(form, value)] == value


@given(st.sampled_from(FORMS), REALS)
def test_no_other_byte_is_nearer(form: str, value: float) -> None:
    chosen = list_byte_values(form)[find_nearest_byte(form, value)]
    distance = abs(chosen - value)
    assert all(distance <= abs(other - value) for other in list_finite_values(form))


@given(st.sampled_from(FORMS), REALS, REALS)
def test_rounding_keeps_the_order_of_numbers(
    form: str, first: float, second: float
) -> None:
    low, high = sorted((first, second))
    values = list_byte_values(form)
    rounded_low = values[find_nearest_byte(form, low)]
    assert rounded_low <= values[find_nearest_byte(form, high)]


@pytest.mark.parametrize("form", FORMS)
def test_what_is_no_number_stays_none(form: str) -> None:
    assert math.isnan(list_byte_values(form)[find_nearest_byte(form, math.nan)])


@pytest.mark.parametrize("sign", [1, -1])
def test_an_infinity_stays_one_or_becomes_the_largest(sign: int) -> None:
    for form in FORMS:
        value = list_byte_values(form)[find_nearest_byte(form, sign * math.inf)]
        expected = math.inf if form == "e5m2" else LARGEST[form]
        assert value == sign * expected


@pytest.mark.parametrize("form", FORMS)
def test_what_is_too_large_becomes_the_largest_number(form: str) -> None:
    values = list_byte_values(form)
    assert values[find_nearest_byte(form, 1e30)] == LARGEST[form]
    assert values[find_nearest_byte(form, -1e30)] == -LARGEST[form]
