"""Choices for several template parameters are combined, the likelier ones first."""

from __future__ import annotations

from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.extract.templates.argument_combinations import (
    iter_argument_lists,
    order_combinations,
    stem_of,
)


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("LayoutA", "layout"),
        ("Layout_", "layout"),
        ("Element2", "element"),
        ("kTileM", "ktile"),
        ("kTile_M", "ktile"),
        ("tile_n", "tile"),
        ("Layout_2", "layout"),
        ("BLOCK", "block"),
        ("block_size", "block_size"),
        ("_2", "_2"),
        ("_T", "_t"),
        ("T", "t"),
    ],
)
def test_the_stem_of_a_name_is_without_its_last_letter_or_number(
    name: str, stem: str
) -> None:
    assert stem_of(name) == stem


@given(st.lists(st.integers(min_value=1, max_value=4), max_size=4))
def test_each_combination_comes_once_and_smaller_sums_first(sizes: list[int]) -> None:
    combinations = list(order_combinations(sizes))
    assert sorted(combinations) == sorted(product(*map(range, sizes)))
    sums = [sum(positions) for positions in combinations]
    assert sums == sorted(sums)


def test_a_long_list_is_made_as_far_as_it_is_asked_for() -> None:
    combinations = list(islice(order_combinations([40] * 40), 41))
    assert combinations[0] == (0,) * 40
    assert all(sum(positions) == 1 for positions in combinations[1:])


def test_parameters_of_one_stem_take_the_same_choice() -> None:
    layouts = ("Row", "Column")
    argument_lists = list(iter_argument_lists(["LayoutA", "LayoutB"], [layouts] * 2))
    assert argument_lists == [("Row", "Row"), ("Column", "Column")]


def test_parameters_of_one_stem_with_other_choices_vary_alone() -> None:
    argument_lists = iter_argument_lists(["A1", "A2"], [("x", "y"), ("z",)])
    assert list(argument_lists) == [("x", "z"), ("y", "z")]


def test_a_default_that_names_a_parameter_means_its_argument() -> None:
    choices = [("float",), ("Pair<T, other::T>",)]
    assert list(iter_argument_lists(["T", "P"], choices)) == [
        ("float", "Pair<float, other::T>")
    ]
