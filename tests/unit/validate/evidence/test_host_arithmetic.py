"""Host code's operators and rounding helpers compute what their names say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.validate.evidence.host_arithmetic import (
    OPERATIONS,
    apply_function,
    apply_prefix,
    check_magnitude,
    is_known_function,
    to_vector,
)


@pytest.mark.parametrize(
    ("name", "values", "result"),
    [
        ("ceil_div", [300, 128], 3),
        ("DIVUP", [10, 3], 4),
        ("cdiv", [0, 3], 1),
        ("GET_BLOCKS", [1000], 4),
        ("round_up", [300, 64], 320),
        ("div_round_up", [300, 64], 5),
        ("RoundDown", [300, 64], 256),
        ("next_pow2", [100], 128),
        ("nextPowerOf2", [0], 1),
        ("next_power_of_two", [5000], 512),
        ("min", [3, 4], 3),
        ("fmax", [3, 4], 4),
        ("MIN", [3, 4], 3),
        ("MAX", [3, 4], 4),
        ("log2", [0], 0),
        ("pow", [2, 10], 1024.0),
    ],
)
def test_functions_are_known_by_their_names(
    name: str, values: list[int], result: float
) -> None:
    assert is_known_function(name)
    assert apply_function(name, values, block_threads=256) == result


@pytest.mark.parametrize("name", ["sizes", "my_kernel_cost", "data_ptr"])
def test_others_are_not(name: str) -> None:
    assert not is_known_function(name)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("min", [1]),
        ("MIN", [1]),
        ("MAX", [1, 2, 3]),
        ("sqrt", [1, 2]),
        ("round_up", [5]),
        ("ceil_div", [5, 0]),
    ],
)
def test_with_other_arguments_nothing_is_known(name: str, values: list[int]) -> None:
    assert apply_function(name, values, block_threads=256) is None


@given(st.integers(-1000, 1000), st.integers(-50, 50).filter(bool))
def test_division_is_that_of_c(dividend: int, divisor: int) -> None:
    quotient = OPERATIONS["/"](dividend, divisor)
    remainder = OPERATIONS["%"](dividend, divisor)
    assert quotient * divisor + remainder == dividend
    assert abs(remainder) < abs(divisor)
    assert remainder == 0 or (remainder < 0) == (dividend < 0)


@pytest.mark.parametrize(("count", "sign"), [(63, "<<"), (-1, "<<")])
def test_a_shift_past_a_word_overflows(count: int, sign: str) -> None:
    with pytest.raises(OverflowError):
        OPERATIONS[sign](1, count)


def test_what_no_word_holds_overflows() -> None:
    assert check_magnitude(1 << 62) == 1 << 62
    with pytest.raises(OverflowError):
        check_magnitude(1 << 63)


@pytest.mark.parametrize(("sign", "result"), [("-", -5), ("!", 0), ("~", -6)])
def test_prefixes(sign: str, result: int) -> None:
    assert apply_prefix(sign, 5) == result


def test_a_vector_has_three_extents_at_least() -> None:
    assert to_vector([7]) == (7, 1, 1)
    assert to_vector([1.9, None]) == (1, 1, 1)
    assert to_vector([1, 2, 3, 4]) == (1, 2, 3, 4)
