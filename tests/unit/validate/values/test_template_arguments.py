"""Template arguments as a compiler writes them in a running program."""

from __future__ import annotations

import pytest

from crawler.validate.values.template_arguments import (
    are_same_arguments,
    parse_template_arguments,
)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("", ()),
        ("[T = float]", ("float",)),
        ("[scalar_t = c10::Half, TB = 4]", ("c10::Half", "4")),
        ("[T = std::pair<int, float>, N = 2]", ("std::pair<int, float>", "2")),
    ],
)
def test_the_values_are_read(text: str, values: tuple[str, ...]) -> None:
    assert parse_template_arguments(text) == values


@pytest.mark.parametrize(
    ("in_unit", "in_program"),
    [
        (("unsigned char", "SUM"), ("unsigned char", "ReductionType::SUM")),
        (("at::Half",), ("c10::Half",)),
        (("256",), ("256U",)),
        (("1",), ("(unsigned long)1UL",)),
        (("vec<float,4>",), ("ns::vec<float, 4>",)),
    ],
)
def test_the_same_arguments_may_be_written_otherwise(
    in_unit: tuple[str, ...], in_program: tuple[str, ...]
) -> None:
    assert are_same_arguments(in_unit, in_program)


@pytest.mark.parametrize(
    ("in_unit", "in_program"),
    [
        (("float",), ("double",)),
        (("float", "SUM"), ("float",)),
        (("int", "MIN"), ("int", "MAX")),
        (("unsigned int",), ("int",)),
    ],
)
def test_other_arguments_are_others(
    in_unit: tuple[str, ...], in_program: tuple[str, ...]
) -> None:
    assert not are_same_arguments(in_unit, in_program)
