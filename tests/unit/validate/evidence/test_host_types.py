"""How many bytes host code's types have, and what its constants are."""

from __future__ import annotations

import ctypes
import math

import pytest

from crawler.validate.evidence.host_types import (
    CONSTANTS,
    has_known_size,
    size_of_type,
)


@pytest.mark.parametrize(
    ("name", "c_type"),
    [
        ("char", ctypes.c_char),
        ("short", ctypes.c_short),
        ("unsigned int", ctypes.c_uint),
        ("long long", ctypes.c_longlong),
        ("size_t", ctypes.c_size_t),
        ("float", ctypes.c_float),
        ("double", ctypes.c_double),
        ("float*", ctypes.c_void_p),
        ("Unknown *", ctypes.c_void_p),
    ],
)
def test_sizes_are_those_of_this_machines_compiler(
    name: str, c_type: type[ctypes._SimpleCData[object]]
) -> None:
    assert size_of_type(name, {}) == ctypes.sizeof(c_type)
    assert has_known_size(name, {})


def test_a_name_is_followed_to_what_it_stands_for() -> None:
    types = {"scalar_t": "double"}
    assert size_of_type("scalar_t", types) == 8
    assert has_known_size("scalar_t", types)


def test_a_type_that_nobody_knows_is_taken_for_a_word() -> None:
    assert size_of_type("Params", {}) == 4
    assert not has_known_size("Params", {})
    assert size_of_type("Params", {"Params": "Other"}) == 4


def test_a_known_name_keeps_its_size_where_it_stands_for_an_unknown_one() -> None:
    assert size_of_type("double", {"double": "Other"}) == 8


def test_limits_are_those_of_the_types() -> None:
    assert CONSTANTS["INT_MAX"] == CONSTANTS["INT32_MAX"] == 2147483647
    assert CONSTANTS["UINT8_MAX"] == 255
    assert CONSTANTS["INT64_MAX"] == 9223372036854775807
    assert CONSTANTS["M_PI"] == math.pi
    assert CONSTANTS["warpSize"] == 32
