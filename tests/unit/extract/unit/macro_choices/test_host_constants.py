"""Kernels that are compiled at run time have the constants that their host code hands them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import FlagsOrigin, Kernel
from crawler.validate.build import build_unit

_KERNEL = """enum Border { NONE, MIRROR };
template <int RADIUS> __device__ int reach() { return RADIUS; }
// a wide TILE_X is STRONG, and of a row TILE_Y is not
__global__ void blur(float *x) {
  __shared__ float tile[TILE_X * (TILE_Y + 2 * MARGIN)];
  tile[threadIdx.x] = x[threadIdx.x] + MIRROR + STRONG;
  x[threadIdx.x] = tile[reach<3>()];
}
"""
_HOST = """#include <string>
static const int TILE_X = 16;
constexpr unsigned MARGIN = 4;
constexpr size_t TILE_Y = TILE_X / 2 + MARGIN;
static const int STRONG  = 1;
static const int RADIUS = 7;
const int MIRROR = 9;
const int UNUSED = 3;
void run(Module &module) {
  module.define("TILE_X", TILE_X);
  module.get("blur")(TILE_X, TILE_Y);
}
"""
_OTHER = "const int TILE_X = 99;\nvoid other();\n"
_FILES = {"gpu/blur.cu": _KERNEL, "gpu/blur.h": _HOST, "gpu/other.h": _OTHER}


@pytest.fixture(scope="module")
def kernel(project: Callable[..., Any]) -> Kernel:
    (kernel,) = project(_FILES).kernels()
    assert isinstance(kernel, Kernel)
    return kernel


def test_constants_are_macros_of_the_unit(kernel: Kernel) -> None:
    assert kernel.unit is not None
    assert "#define TILE_X 16" in kernel.unit.source
    assert "#define TILE_Y (16 / 2 + 4)" in kernel.unit.source
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


@pytest.mark.parametrize("name", ["UNUSED", "MIRROR", "RADIUS"])
def test_what_a_unit_declares_or_does_not_name_is_left_out(
    kernel: Kernel, name: str
) -> None:
    assert kernel.unit is not None
    assert f"#define {name}" not in kernel.unit.source


def test_a_constant_with_two_values_is_left_out(project: Callable[..., Any]) -> None:
    files = {**_FILES, "gpu/other.h": _HOST.replace("STRONG  = 1", "STRONG = 2")}
    (kernel,) = project(files).kernels()
    assert "#define TILE_X 16" in kernel.unit.source
    assert "#define STRONG" not in kernel.unit.source


def test_what_a_build_says_is_left_as_it_is(project: Callable[..., Any]) -> None:
    planted = project(_FILES)
    recorded = replace(planted.commands[0], origin=FlagsOrigin.RECORDED)
    (kernel,) = extract_unit_facts(planted.root, recorded).kernels
    assert kernel.closure is not None
    assert not any("#define TILE_X" in text for text in kernel.closure.fragments)
