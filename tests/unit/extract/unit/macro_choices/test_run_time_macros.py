"""Kernels that are compiled for sizes which a program gives as it runs have units that compile."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.extract.unit.macro_choices.run_time_macros import (
    assume_run_time_macros,
    read_given_names,
)
from crawler.port.port import port_unit
from crawler.validate.build import build_unit
from tests.unit.extract.builders import unit_of

KERNEL = """\
__global__ void interpolate(const float *u, float *v) {
  __shared__ float tile[POINTS * COMPONENTS];
  for (int i = threadIdx.x; i < POINTS * COMPONENTS; i += SPAN) tile[i] = u[i];
  __syncthreads();
  v[threadIdx.x] = tile[threadIdx.x % POINTS];
}
"""
HOST = """\
void compile(Program *program, int points) {
  add_macros(program, 2, "POINTS", points, "COMPONENTS", 3);
  nvrtcCompileProgram(program, 1, { "-DSPAN=32" });
}
"""
UNKNOWN = "use of undeclared identifier '{}'"


@pytest.mark.parametrize("target", ["sm_80", "gfx90a"])
@pytest.mark.apt("clang-19")
def test_a_unit_says_which_macros_it_assumes(
    project: Callable[..., Any], target: str
) -> None:
    [kernel] = project({"k.cu": KERNEL, "host.c": HOST}).kernels()
    unit = unit_of(kernel) if target == "sm_80" else port_unit(unit_of(kernel))

    assert sorted(unit.assumed) == [
        "#define COMPONENTS 4",
        "#define POINTS 4",
        "#define SPAN 4",
    ]
    assert build_unit(unit, target).build.pass_call.message == ""


def test_nothing_is_assumed_of_names_that_no_program_gives(
    project: Callable[..., Any],
) -> None:
    host = HOST.replace('"POINTS"', "points_name")
    [kernel] = project({"k.cu": KERNEL, "host.c": host}).kernels()

    assert unit_of(kernel).assumed == ()


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('f("TILE_M", m)', {"TILE_M"}),
        ('options.push_back("-DTILE_M=" + m)', {"TILE_M"}),
        ('"-D TILE_M"', {"TILE_M"}),
        ('"Tile"', set()),
        ('"a TILE_M"', set()),
        ("TILE_M", set()),
    ],
)
def test_names_are_read_in_strings_alone(
    tmp_path: Path, text: str, names: set[str]
) -> None:
    (tmp_path / "host.cpp").write_text(text)

    assert read_given_names(str(tmp_path)) == names


@pytest.mark.parametrize("missing", ["tile_m", "OTHER"])
def test_one_name_that_is_none_of_them_is_one_too_many(
    tmp_path: Path, missing: str
) -> None:
    (tmp_path / "host.cpp").write_text('f("TILE_M", m)')
    messages = [UNKNOWN.format(name) for name in ("TILE_M", missing)]

    assert assume_run_time_macros(messages[:1], (), tmp_path) == ["#define TILE_M 4"]
    assert assume_run_time_macros(messages, (), tmp_path) == []
