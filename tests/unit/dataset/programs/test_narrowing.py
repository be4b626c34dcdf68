"""A unit is narrowed to one instantiation only where its text shows which line is whose."""

from __future__ import annotations

import pytest

from crawler.dataset.programs.narrowing import (
    narrow_unit,
    select_instantiation_source,
)
from crawler.model import Instantiation
from tests.unit.storage.samples import make_unit

FLOAT = Instantiation(arguments=("float",), label="float")
DOUBLE = Instantiation(arguments=("double",), label="double")
KERNEL = "template <class T> __global__ void k(T*) {}\n"
FLOAT_LINE = "template __global__ void k<float>(float*);\n"
DOUBLE_LINE = "template __global__ void k<double>(double*);\n"
UNIT = make_unit(KERNEL + FLOAT_LINE + DOUBLE_LINE, instantiations=(FLOAT, DOUBLE))


@pytest.mark.parametrize(("position", "line"), [(0, FLOAT_LINE), (1, DOUBLE_LINE)])
def test_the_line_of_one_instantiation_stays(position: int, line: str) -> None:
    assert select_instantiation_source(UNIT, position) == KERNEL + line


def test_a_narrow_unit_has_one_instantiation_at_position_zero() -> None:
    narrow, position = narrow_unit(UNIT, 1)
    assert (narrow.instantiations, position) == ((DOUBLE,), 0)
    assert narrow.source == KERNEL + DOUBLE_LINE
    # it is still the same unit's
    assert narrow.digest == UNIT.digest


@pytest.mark.parametrize(
    "text",
    [
        KERNEL + FLOAT_LINE,
        KERNEL + FLOAT_LINE + "// between\n" + DOUBLE_LINE,
        KERNEL + FLOAT_LINE + DOUBLE_LINE + "int behind;\n",
        KERNEL + "template __global__ void\nk<float>(float*);\n" + DOUBLE_LINE,
        "",
    ],
)
def test_a_unit_of_another_form_stays_whole(text: str) -> None:
    unit = make_unit(text, instantiations=(FLOAT, DOUBLE))
    assert narrow_unit(unit, 1) == (unit, 1)


def test_the_only_instantiation_is_not_cut() -> None:
    unit = make_unit(KERNEL + FLOAT_LINE, instantiations=(FLOAT,))
    assert narrow_unit(unit, 0) == (unit, 0)
