"""A source that no build compiles is read with what the build defines for those beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from crawler.builds.commands.synthesis import synthesise_command
from crawler.builds.database.neighbour_macros import adopt_neighbours_macros
from crawler.checkout.include_graph import IncludeGraph
from crawler.model import CompileCommand, Dialect, FlagsOrigin

Plant = Callable[[dict[str, str]], IncludeGraph]
TYPES = """\
#if PRECISION == 2
typedef double Real;
#endif
#ifdef LARGE
typedef long Index;
#endif
"""
KERNEL = '#include "types.h"\n__global__ void k(Real* p) { p[0] = 1; }\n'
FILES = {
    "src/types.h": TYPES,
    "src/near/built.cu": KERNEL.replace("types", "../types"),
    "src/built.cu": KERNEL,
    "src/near/other.cu": KERNEL.replace("types", "../types"),
    "src/near/other.hip": KERNEL.replace("types", "../types"),
    "apart/alone.cu": KERNEL.replace("types", "../src/types"),
}
DEFINES = {
    "src/near/built.cu": ("-DPRECISION=2", "-DUNNAMED"),
    "src/built.cu": ("-DPRECISION=1", "-DLARGE"),
}


def adopt(plant: Plant, path: str, *own_defines: str) -> CompileCommand:
    graph = plant(FILES)
    commands = {name: synthesise_command(name, graph) for name in (*DEFINES, path)}
    for name, defines in DEFINES.items():
        commands[name] = replace(
            commands[name],
            origin=FlagsOrigin.RECORDED,
            dialect=Dialect.HIP,
            arguments=defines,
        )
    commands[path] = replace(commands[path], arguments=own_defines)
    return adopt_neighbours_macros(commands, graph)[path]


def test_it_has_the_macros_that_its_headers_ask_for_of_the_nearest(
    plant: Plant,
) -> None:
    command = adopt(plant, "src/near/other.cu")

    assert command.arguments == ("-DPRECISION=2",)
    assert command.origin is FlagsOrigin.SYNTHESISED


def test_they_are_for_the_compiler_of_that_build(plant: Plant) -> None:
    assert adopt(plant, "src/near/other.cu").dialect is Dialect.HIP


def test_what_its_own_command_decides_stays(plant: Plant) -> None:
    command = adopt(plant, "src/near/other.cu", "-DPRECISION=1")

    assert command.arguments == ("-DPRECISION=1",)
    assert command.dialect is Dialect.CUDA


@pytest.mark.parametrize("path", ["apart/alone.cu", "src/near/other.hip"])
def test_nothing_is_taken_of_another_project_or_language(
    plant: Plant, path: str
) -> None:
    assert adopt(plant, path).arguments == ()


def test_what_a_build_compiles_is_as_the_build_says(plant: Plant) -> None:
    graph = plant(FILES)
    built = replace(
        synthesise_command("src/built.cu", graph), origin=FlagsOrigin.RECORDED
    )
    commands = {"src/built.cu": built}
    assert adopt_neighbours_macros(commands, graph) == commands
