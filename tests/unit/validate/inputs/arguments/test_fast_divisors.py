"""Divisors that a structure holds as a multiplier and a shift."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.inputs.arguments.fast_divisors import (
    DivisorPart,
    compute_divisor_part,
    find_divisor,
)


@given(st.integers(1, (1 << 31) - 1), st.integers(0, (1 << 31) - 1))
def test_parts_divide_any_number_of_31_bits(divisor: int, number: int) -> None:
    multiplier = compute_divisor_part(DivisorPart.MULTIPLIER, divisor)
    shift = compute_divisor_part(DivisorPart.SHIFT, divisor)
    assert 0 <= multiplier < 1 << 32
    assert ((number * multiplier >> 32) + number) >> shift == number // divisor


@given(st.integers(2, (1 << 31) - 1), st.integers(0, (1 << 31) - 1))
def test_parts_without_the_addition_divide_the_same(divisor: int, number: int) -> None:
    multiplier = compute_divisor_part(DivisorPart.MULTIPLIER_ALONE, divisor)
    shift = compute_divisor_part(DivisorPart.SHIFT_ALONE, divisor)
    assert 0 <= multiplier < 1 << 32
    assert (number * multiplier >> 32) >> shift == number // divisor


@pytest.mark.parametrize("part", DivisorPart)
def test_a_size_of_none_divides_as_one_does(part: DivisorPart) -> None:
    assert compute_divisor_part(part, 0) == compute_divisor_part(part, 1)


@pytest.mark.parametrize(
    ("name", "siblings", "divisor"),
    [
        ("multiplier", ["divisor", "multiplier", "shift"], "divisor"),
        ("fast.m1", ["fast.divisor", "fast.m1", "fast.shift"], "fast.divisor"),
        # The longest name that it begins with.
        (
            "lengths_shift",
            ["len", "lengths", "lengths_multiplier", "lengths_shift"],
            "lengths",
        ),
        # A shift of something else: nothing multiplies.
        ("shift", ["divisor", "shift"], ""),
        # Nothing that they could derive from.
        ("multiplier", ["rows", "multiplier", "shift"], ""),
        ("divisor", ["divisor", "multiplier", "shift"], ""),
    ],
)
def test_a_part_belongs_to_the_divisor_that_it_is_named_after(
    name: str, siblings: list[str], divisor: str
) -> None:
    found_divisor, part = find_divisor(name, siblings)
    assert found_divisor == divisor
    assert (part is not None) == bool(divisor)
