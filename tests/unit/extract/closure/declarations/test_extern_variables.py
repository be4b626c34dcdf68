"""A unit defines the device variables that another source of the project defines."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.port.port import port_unit
from crawler.validate.build import build_unit
from tests.unit.extract.builders import unit_of

HEADER = "struct Params { float factor; };\nextern __constant__ Params params;\n"
KERNEL = "__global__ void scale(float *x) { x[0] *= params.factor; }\n"

SourceOf = Callable[[str], str]


@pytest.fixture
def source_of(project: Callable[..., Any]) -> SourceOf:
    """Return the unit of the only kernel of a text."""

    def extract(text: str) -> str:
        (kernel,) = project({"a.cu": text}).kernels()
        return unit_of(kernel).source

    return extract


def test_a_variable_that_another_source_defines_is_defined(source_of: SourceOf) -> None:
    source = source_of(HEADER + KERNEL)

    assert "__constant__ Params params;" in source
    assert "extern" not in source


def test_a_variable_that_the_unit_defines_stays_declared(source_of: SourceOf) -> None:
    source = source_of(f"{HEADER}__constant__ Params params;\n{KERNEL}")

    assert source.count("extern __constant__ Params params;") == 1


def test_of_two_declarations_one_becomes_the_definition(source_of: SourceOf) -> None:
    source = source_of(f"{HEADER}extern  __constant__ Params params;\n{KERNEL}")

    assert source.count("__constant__ Params params;") == 2
    assert source.count("extern") == 1


def test_shared_memory_stays_extern(source_of: SourceOf) -> None:
    source = source_of(
        "extern __shared__ float tile[];\n"
        "__global__ void k(float *x) { tile[0] = x[0]; x[1] = tile[0]; }\n"
    )

    assert "extern __shared__ float tile[];" in source


def test_an_array_without_a_bound_stays_extern(source_of: SourceOf) -> None:
    source = source_of(
        "extern __constant__ float table[];\n"
        "__global__ void k(float *x) { x[0] = table[1]; }\n"
    )

    assert "extern __constant__ float table[];" in source


@pytest.mark.apt
def test_such_a_unit_links_for_amd(project: Callable[..., Any]) -> None:
    (kernel,) = project({"a.cu": HEADER + KERNEL}).kernels()

    built = build_unit(port_unit(unit_of(kernel)), "gfx90a")
    assert built.build.pass_call.message == ""
