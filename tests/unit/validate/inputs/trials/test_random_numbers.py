"""Numbers of each filling stay where their filling promises, whatever is drawn."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.inputs.trials.fill_patterns import Filling, FillPattern
from crawler.validate.inputs.trials.random_numbers import draw_numbers
from crawler.validate.inputs.trials.special_values import list_special_values
from crawler.validate.values.scalar_types import ScalarType, decode, encode

WHOLE = st.sampled_from([scalar for scalar in ScalarType if not scalar.is_real])
REAL = st.sampled_from([scalar for scalar in ScalarType if scalar.is_real])
BOUNDS = st.integers(1, 1 << 20)
SEEDS = st.integers(0, 1 << 32)
ORDINARY_FILLINGS = [
    Filling.SMALL_INTEGERS,
    Filling.COUNTS,
    Filling.INDICES_WITH_NONE,
    Filling.BOUNDED_REALS,
    Filling.OUT_OF_RANGE_REALS,
    Filling.DATA,
    Filling.SPECIAL_VALUES,
    Filling.COMPARED_VALUES,
]


def draw(
    filling: Filling,
    scalar: ScalarType = ScalarType.I32,
    *,
    bound: int = 4,
    compared: tuple[int, ...] = (),
    count: int = 200,
    seed: int = 0,
) -> list[float]:
    pattern = FillPattern(filling, bound, compared)
    return draw_numbers(pattern, scalar, count, random.Random(seed))


@pytest.mark.parametrize("filling", ORDINARY_FILLINGS)
def test_as_many_are_drawn_as_asked_and_the_same_for_the_same_seed(
    filling: Filling,
) -> None:
    assert [len(draw(filling, count=count)) for count in (0, 1, 7)] == [0, 1, 7]
    first, second = draw(filling, seed=5), draw(filling, seed=5)
    assert encode(ScalarType.I32, first) == encode(ScalarType.I32, second)
    assert first != draw(filling, seed=6)


@given(BOUNDS, SEEDS)
def test_indices_lie_below_their_bound(bound: int, seed: int) -> None:
    numbers = draw(Filling.SMALL_INTEGERS, bound=bound, seed=seed)
    assert all(0 <= number < bound for number in numbers)
    assert all(number == int(number) for number in numbers)


@given(st.integers(2, 1 << 20), SEEDS)
def test_counts_begin_at_one(bound: int, seed: int) -> None:
    numbers = draw(Filling.COUNTS, bound=bound, seed=seed)
    assert all(1 <= number < bound for number in numbers)


def test_a_count_below_one_is_one() -> None:
    assert set(draw(Filling.COUNTS, bound=1)) == {1}
    assert set(draw(Filling.COUNTS, bound=0)) == {1}


@given(BOUNDS, SEEDS)
def test_indices_that_mean_none_are_among_the_others(bound: int, seed: int) -> None:
    numbers = draw(Filling.INDICES_WITH_NONE, bound=bound, seed=seed)
    assert all(-1 <= number < bound for number in numbers)
    assert 10 < Counter(numbers)[-1] < 90


@given(BOUNDS, SEEDS)
def test_fractions_lie_within_their_bound_and_some_are_whole(
    bound: int, seed: int
) -> None:
    numbers = draw(Filling.BOUNDED_REALS, ScalarType.FLOAT, bound=bound, seed=seed)
    assert all(0 <= number <= bound for number in numbers)
    assert any(number == round(number) for number in numbers)
    assert any(number != round(number) for number in numbers)


@given(BOUNDS, SEEDS)
def test_coordinates_lie_on_both_sides_of_their_range(bound: int, seed: int) -> None:
    numbers = draw(Filling.OUT_OF_RANGE_REALS, ScalarType.FLOAT, bound=bound, seed=seed)
    assert all(-bound <= number <= 2 * bound for number in numbers)
    assert min(numbers) < 0
    assert max(numbers) > bound
    assert any(0 <= number <= bound for number in numbers)


@given(WHOLE, st.integers(1, 1 << 40), SEEDS)
def test_a_bound_beyond_its_type_wraps_nothing_around(
    scalar: ScalarType, bound: int, seed: int
) -> None:
    numbers = draw(Filling.SMALL_INTEGERS, scalar, bound=bound, seed=seed)
    assert list(decode(scalar, encode(scalar, numbers))) == numbers


@given(WHOLE, SEEDS)
def test_whole_data_fits_its_type(scalar: ScalarType, seed: int) -> None:
    numbers = draw(Filling.DATA, scalar, seed=seed)
    low, high = scalar.integer_range
    assert all(low <= number <= high for number in numbers)
    assert len(set(numbers)) > 1
    if scalar.size > 1:
        assert all(abs(number) <= 100 for number in numbers)


def test_bytes_have_all_values_of_their_type() -> None:
    numbers = draw(Filling.DATA, ScalarType.U8, count=20_000)
    assert set(numbers) == set(range(256))
    signed = draw(Filling.DATA, ScalarType.I8, count=20_000)
    assert set(signed) == set(range(-128, 128))


def test_truth_values_are_both() -> None:
    assert set(draw(Filling.DATA, ScalarType.BOOL)) == {0, 1}


@given(REAL, SEEDS)
def test_real_data_has_both_signs_and_equal_numbers(
    scalar: ScalarType, seed: int
) -> None:
    numbers = draw(Filling.DATA, scalar, count=400, seed=seed)
    assert all(-3 <= number <= 3 for number in numbers)
    assert min(numbers) < 0 < max(numbers)
    # what is compared for equality, or for the largest, meets equal numbers
    assert len(set(numbers)) < len(numbers)


def test_small_data_is_likelier_than_large() -> None:
    numbers = draw(Filling.DATA, ScalarType.FLOAT, count=4000)
    inner = sum(abs(number) < 1 for number in numbers)
    outer = sum(abs(number) > 2 for number in numbers)
    assert inner > 4 * outer > 0


@pytest.mark.parametrize("scalar", [ScalarType.FLOAT, ScalarType.HALF, ScalarType.I16])
def test_special_values_are_among_ordinary_ones(scalar: ScalarType) -> None:
    numbers = draw(Filling.SPECIAL_VALUES, scalar, count=3000)
    special = {repr(float(value)) for value in list_special_values(scalar)}
    share = sum(repr(float(number)) in special for number in numbers) / len(numbers)
    assert special <= {repr(float(number)) for number in numbers}
    assert 0.25 < share < 0.6


def test_special_reals_have_what_kernels_treat_wrongly() -> None:
    numbers = draw(Filling.SPECIAL_VALUES, ScalarType.FLOAT, count=3000)
    assert any(math.isnan(number) for number in numbers)
    assert {math.inf, -math.inf} <= set(numbers)
    assert any(number == 0 and math.copysign(1, number) < 0 for number in numbers)


def test_what_the_code_compares_with_comes_most_often() -> None:
    numbers = draw(Filling.COMPARED_VALUES, bound=3, compared=(255, 77), count=1000)
    counts = Counter(numbers)
    assert set(counts) == {0, 1, 2, 77, 255}
    assert counts[255] + counts[77] > 500


def test_what_the_type_cannot_hold_is_not_compared_with() -> None:
    numbers = draw(
        Filling.COMPARED_VALUES, ScalarType.U8, bound=3, compared=(-1, 256, 9)
    )
    assert set(numbers) <= {0, 1, 2, 9}
    assert 9 in numbers
    none_fits = draw(Filling.COMPARED_VALUES, ScalarType.U8, bound=2, compared=(-1,))
    assert set(none_fits) == {0, 1}
