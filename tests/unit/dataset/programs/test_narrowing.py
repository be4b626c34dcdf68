"""A unit is narrowed to one instantiation only where its text shows which line is whose."""

from __future__ import annotations

import pytest

from crawler.dataset.programs.narrowing import (
    narrow_unit,
    select_instantiation_source,
    select_launches,
)
from crawler.model import Instantiation, Launch, Layer, Span
from tests.unit.storage.samples import make_unit

FLOAT = Instantiation(arguments=("float",), label="float")
DOUBLE = Instantiation(arguments=("double",), label="double")
KERNEL = "template <class T> __global__ void k(T*) {}\n"
FLOAT_LINE = "template __global__ void k<float>(float*);\n"
DOUBLE_LINE = "template __global__ void k<double>(double*);\n"
UNIT = make_unit(KERNEL + FLOAT_LINE + DOUBLE_LINE, instantiations=(FLOAT, DOUBLE))
SPAN = Span(path="a.cu", line=1, end_line=1, offset=0, end_offset=1)


def launch_with(*arguments: tuple[str, ...]) -> Launch:
    return Launch(
        span=SPAN,
        kernel_name="k",
        grid="1",
        block="1",
        found_by=Layer.AST,
        template_arguments=arguments,
    )


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


def test_launches_of_other_instantiations_are_left_out() -> None:
    of_float = launch_with(("float",))
    of_both = launch_with(("float",), ("double",))
    unknown = launch_with()
    launches = (of_float, of_both, unknown)
    assert select_launches(FLOAT, launches) == launches
    assert select_launches(DOUBLE, launches) == (of_both, unknown)


def test_all_launches_stay_where_none_is_of_the_instantiation() -> None:
    launches = (launch_with(("float",)),)
    assert select_launches(DOUBLE, launches) == launches
