"""Memory and numbers of cases are read for what they are; what cannot be told is left alone."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any

import pytest

from crawler.model import Case, CaseArgument, CasePointer, Instantiation
from crawler.model.source_elements import TemplateParameter
from crawler.validate.known_operators.case_arrays import CaseArrays, read_cases
from tests.operator_cases import PythonKernel

PARAMETERS = (
    ("x", "const float*"),
    ("y", "float*"),
    ("n", "int"),
    ("slope", "float"),
)


def copy(x: list[float], y: list[float], n: int, slope: float) -> None:
    y[:n] = x[:n]


KERNEL = PythonKernel(
    "copy",
    PARAMETERS,
    copy,
    tuple(
        {"x": [1.0, -2.5, 3.0], "y": [None] * 3, "n": n, "slope": 0.25} for n in (3, 2)
    ),
)


def read(
    *arguments: CaseArgument, kernel: PythonKernel = KERNEL
) -> list[CaseArrays] | None:
    built, suite, blobs = kernel.build()
    assert built.unit is not None
    cases = [
        replace(case, arguments=(*case.arguments, *arguments)) for case in suite.cases
    ]
    return read_cases(built, built.unit, cases, blobs)


def test_buffers_and_numbers_are_read() -> None:
    cases = read()
    assert cases is not None
    first, second = cases
    assert (first.integers, first.reals) == ({"n": 3}, {"slope": 0.25})
    assert first.block_size == 32
    assert first.block_count == 4
    assert list(first.buffers[0].before) == [1.0, -2.5, 3.0]
    assert list(first.buffers[1].gold) == [1.0, -2.5, 3.0]
    # nobody has written the last
    assert list(second.buffers[1].unchanged) == [False, False, True]


@pytest.mark.parametrize(
    ("content", "integers", "reals"),
    [
        (struct.pack("<i", 7), {"n": 3, "other": 7}, {"slope": 0.25}),
        (struct.pack("<f", 1.5), {"n": 3}, {"slope": 0.25, "other": 1.5}),
        (struct.pack("<d", -1e9), {"n": 3}, {"slope": 0.25, "other": -1e9}),
    ],
)
def test_the_bits_say_what_a_type_without_a_known_name_is(
    content: bytes, integers: dict[str, int], reals: dict[str, float]
) -> None:
    cases = read(CaseArgument(name="other", content=content.hex()))
    assert cases is not None
    assert (cases[0].integers, cases[0].reals) == (integers, reals)


@pytest.mark.parametrize(
    "argument",
    [
        CaseArgument(name="shape", content="01" * 24),
        CaseArgument(
            name="inner",
            content="00" * 8,
            pointers=(CasePointer(at=0, buffer=0, offset=4),),
        ),
        CaseArgument(
            name="tensor", content="00" * 24, pointers=(CasePointer(at=0, buffer=0),)
        ),
        CaseArgument(name="byte", content="00" * 3),
    ],
    ids=["structure", "offset", "tensor", "odd"],
)
def test_what_cannot_be_told_is_left_alone(argument: CaseArgument) -> None:
    assert read(argument) is None


def test_a_template_says_types_and_numbers() -> None:
    kernel = replace(KERNEL, parameters=(*PARAMETERS[:3], ("slope", "float")))
    built, suite, blobs = kernel.build(
        instantiations=(Instantiation(arguments=("float", "16"), label=""),),
        template_parameters=(
            TemplateParameter(name="T", kind="type"),
            TemplateParameter(name="WIDTH", kind="value", type="int"),
        ),
    )
    assert built.unit is not None
    cases = read_cases(built, built.unit, suite.cases, blobs)
    assert cases is not None
    assert cases[0].integers == {"n": 3, "WIDTH": 16}
    assert cases[0].constants == {"WIDTH"}


@pytest.mark.parametrize(
    "change",
    [
        {"element": "__nv_fp8_e4m3", "element_size": 1},
        {"element": "Particle", "element_size": 12},
        {"gold": ""},
    ],
    ids=["eight-bits", "structure", "no-gold"],
)
def test_memory_that_is_no_plain_numbers_makes_no_case(
    change: dict[str, Any],
) -> None:
    built, suite, blobs = KERNEL.build()
    assert built.unit is not None

    def change_output(case: Case) -> Case:
        *other_buffers, output = case.buffers
        return replace(case, buffers=(*other_buffers, replace(output, **change)))

    cases = [change_output(case) for case in suite.cases]
    assert not read_cases(built, built.unit, cases, blobs)
