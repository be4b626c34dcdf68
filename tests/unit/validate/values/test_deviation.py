"""How far outputs lie apart is measured by their largest magnitude."""

from __future__ import annotations

import math

import pytest

from crawler.validate.values.deviation import (
    Deviation,
    find_largest_magnitude,
    measure_close_deviation,
    measure_deviation,
)
from crawler.validate.values.scalar_types import ScalarType, encode


def floats(*values: float) -> bytes:
    return encode(ScalarType.FLOAT, values)


def test_outputs_that_are_the_same_deviate_by_nothing() -> None:
    content = floats(1.0, math.nan, math.inf)
    assert measure_deviation(ScalarType.FLOAT, content, content).is_zero


def test_the_largest_difference_counts_relative_to_the_largest_number() -> None:
    deviation = measure_deviation(
        ScalarType.FLOAT, floats(8.0, -1.0, 0.0), floats(8.0, -1.5, 0.25)
    )
    assert deviation == Deviation(absolute=0.5, relative=0.5 / 8.0)
    assert not deviation.is_zero


@pytest.mark.parametrize(
    ("gold", "content"),
    [
        (floats(1.0), floats(1.0, 2.0)),
        (floats(1.0), floats(math.nan)),
        (floats(math.inf), floats(1.0)),
        (floats(0.0), floats(1.0)),
    ],
)
def test_outputs_that_are_no_neighbours_are_infinitely_far_apart(
    gold: bytes, content: bytes
) -> None:
    deviation = measure_deviation(ScalarType.FLOAT, gold, content)
    assert math.isinf(deviation.relative)


def test_whole_numbers_have_no_neighbours() -> None:
    gold = encode(ScalarType.I32, [1])
    content = encode(ScalarType.I32, [2])
    deviation = measure_deviation(ScalarType.I32, gold, content)
    assert deviation == Deviation(math.inf, math.inf)


def test_nan_of_another_kind_is_still_nan() -> None:
    quiet = bytes.fromhex("0000c07f")
    signalling = bytes.fromhex("0100a07f")
    assert measure_deviation(ScalarType.FLOAT, quiet, signalling).is_zero


def test_what_rounding_decided_otherwise_is_left_out() -> None:
    gold = floats(100.0, 50.0, 10.0)
    content = floats(100.5, 90.0, 10.25)
    deviation = measure_close_deviation(ScalarType.FLOAT, gold, content, 0.02)
    assert deviation == Deviation(absolute=0.5, relative=0.005)


def test_combined_deviations_hold_both() -> None:
    combined = Deviation(1.0, 0.1).combine_with(Deviation(0.5, 0.3))
    assert combined == Deviation(1.0, 0.3)


def test_only_finite_numbers_have_a_magnitude() -> None:
    assert find_largest_magnitude([1.0, -3.0, math.inf, math.nan]) == 3.0
    assert find_largest_magnitude([math.nan]) == 0.0
