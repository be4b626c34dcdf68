"""A unit holds what other sources of its project define of the device code that it calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.extract.link import link_kernels
from crawler.model import Kernel, UnitFacts, Verdict
from crawler.validate.build import build_unit

_HEADER = """#pragma once
#ifndef STEP
#define STEP 1
#endif
struct Params { float gain; };
extern __constant__ Params params;
namespace filters { __device__ float soften(float value); }
template <class T> __device__ void copy(T *to, const T *from);
__device__ inline int step() { return STEP; }
"""
_KERNELS = """#define STEP 4
#include "filters.h"
__global__ void soften_all(float *x) { x[step()] = filters::soften(x[step()]); }
__global__ void copy_all(float *x, const float *y) { copy(x, y); }
void run(float *x) { soften_all<<<1, 1>>>(x); copy_all<<<1, 1>>>(x, x); }
"""
_DEFINITIONS = """#include "filters.h"
__constant__ Params params;
static __device__ float half_of(float value) { return value / 2; }
__device__ float scale(float value);
namespace filters {
float helper(float value) { return value; }
__device__ float soften(float value) { return scale(half_of(value)); }
}
__global__ void elsewhere(float *x) { x[0] = scale(x[0]); }
"""
_MORE_DEFINITIONS = """#include "../filters.h"
__device__ float scale(float value) { return value * params.gain; }
"""
_TEMPLATE = """template <class T> __device__ void copy(T *to, const T *from) { *to = *from; }
"""
_FILES = {
    "filters.h": _HEADER,
    "copy_impl.cuh": _TEMPLATE,
    "kernels.cu": _KERNELS,
    "filters.cu": _DEFINITIONS,
    "more/scale.cu": _MORE_DEFINITIONS,
}
_CLASHING = """#include "filters.h"
static int step;
namespace filters { __device__ float soften(float value) { return value; } }
"""


@pytest.fixture(scope="module")
def two_file_project(project: Callable[..., Any]) -> Any:
    return project(_FILES)


@pytest.fixture(scope="module")
def facts(two_file_project: Any) -> tuple[UnitFacts, ...]:
    return tuple(two_file_project.facts())


@pytest.fixture(scope="module")
def kernels(
    facts: tuple[UnitFacts, ...], index_kernels: Callable[..., dict[str, Kernel]]
) -> dict[str, Kernel]:
    return index_kernels(link_kernels(facts))


def build(kernel: Kernel) -> Verdict:
    assert kernel.unit is not None
    return build_unit(kernel.unit, "sm_80").build.pass_call


@pytest.mark.parametrize("name", ["soften_all", "copy_all", "elsewhere"])
def test_units_build_with_what_others_define(
    kernels: dict[str, Kernel], name: str
) -> None:
    assert build(kernels[name]).message == ""


def test_a_unit_keeps_the_macros_of_its_own_source(kernels: dict[str, Kernel]) -> None:
    unit = kernels["soften_all"].unit
    assert unit is not None
    assert "#define STEP 4" in unit.source
    assert "#define STEP 1" not in unit.source


def test_the_parts_say_where_they_stand(facts: tuple[UnitFacts, ...]) -> None:
    closure = facts[0].kernels[0].closure
    assert closure is not None
    paths = {origin.path for origin in closure.origins if origin}
    assert {"kernels.cu", "filters.h", "filters.cu", "more/scale.cu"} <= paths


def test_facts_are_those_of_the_source_and_its_command(
    facts: tuple[UnitFacts, ...], two_file_project: Any
) -> None:
    assert [of_unit.command for of_unit in facts] == two_file_project.commands
    names = [kernel.name for kernel in facts[0].kernels]
    assert names == ["soften_all", "copy_all"]


def test_of_two_programs_neither_is_taken(project: Callable[..., Any]) -> None:
    files = {**_FILES, "variant.cu": _DEFINITIONS}
    kernels = {kernel.name: kernel for kernel in project(files).kernels()}
    assert "scale(half_of" not in kernels["soften_all"].unit.source
    assert build(kernels["copy_all"]).message == ""


def test_a_source_that_clashes_is_left_out(project: Callable[..., Any]) -> None:
    files = {**_FILES, "filters.cu": _CLASHING}
    kernels = {kernel.name: kernel for kernel in project(files).kernels()}
    assert "__device__ inline int step" in kernels["soften_all"].unit.source
    assert "return value;" not in kernels["soften_all"].unit.source


_TABLE_FILES = {
    "tables.h": "#define COUNT 3\n"
    "extern __constant__ int offsets[];\n"
    "extern __device__ double weights[COUNT];\n",
    "kernels.cu": '#include "tables.h"\n'
    "__global__ void add(double *x) { x[threadIdx.x] += weights[offsets[threadIdx.x]]; }\n"
    "void run(double *x) { add<<<1, COUNT>>>(x); }\n",
    "tables.cu": '#include "tables.h"\n'
    "enum { FIRST = 2 };\n"
    "void show() { int offsets[2] = {7, 7}; }\n"
    "__constant__ int offsets[] = {FIRST, 0, 1};\n"
    "__device__ double weights[COUNT] = {0.5, 1.5, 2.5};\n",
}


def test_a_table_of_another_source_comes_with_what_it_holds(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project(_TABLE_FILES).kernels()
    assert "offsets[] = {FIRST, 0, 1};" in kernel.unit.source
    assert "weights[COUNT] = {0.5, 1.5, 2.5};" in kernel.unit.source
    assert "FIRST = 2" in kernel.unit.source
    assert "show" not in kernel.unit.source
    assert build(kernel).message == ""
