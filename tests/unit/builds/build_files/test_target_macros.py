"""Sources that CMake builds as several targets which differ by a macro are parsed with it and
without.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from crawler.builds.build_files.target_macros import find_target_specific_macros
from crawler.builds.database.compile_database import build_compile_database
from crawler.checkout.include_graph import IncludeGraph

Plant = Callable[[dict[str, str]], IncludeGraph]

_LISTS = """
example(attention
  attention.cu
)
example(attention_fp8 attention.cu)
example(alone alone.cu)
if(NOT WIN32)
target_compile_definitions(attention_fp8 PRIVATE FP8)
target_compile_definitions(attention PUBLIC USE_GPU)
target_compile_definitions(attention_fp8 PUBLIC USE_GPU)
target_compile_definitions(alone PRIVATE HALF)
endif()
"""
_ATTENTION = """#include "kernels.cuh"
#ifdef USE_GPU
#endif
#ifdef FP8
void forward() { launch<float>(); }
#else
void backward() { launch<double>(); }
#endif
"""
_ALONE = "#ifdef HALF\n__global__ void k() {}\n#endif\n"
_KERNELS = "template <class T> __global__ void k() {}\ntemplate <class T> void launch() { k<T><<<1, 1>>>(); }\n"


@pytest.fixture
def parsed_sources(plant: Plant) -> list[tuple[str, tuple[str, ...]]]:
    files = {"examples/CMakeLists.txt": _LISTS, "examples/attention.cu": _ATTENTION}
    database = build_compile_database(
        plant(
            {**files, "examples/alone.cu": _ALONE, "examples/kernels.cuh": _KERNELS}
        ).tree.root
    )
    parsed = [
        database.entries[position] for group in database.groups for position in group
    ]
    return sorted(
        (
            command.file,
            tuple(word for word in command.arguments if word.startswith("-D")),
        )
        for command in parsed
    )


def test_a_source_of_two_targets_is_parsed_with_and_without_what_differs(
    parsed_sources: list[tuple[str, tuple[str, ...]]],
) -> None:
    ours = [flags for file, flags in parsed_sources if file == "examples/attention.cu"]
    assert ours == [("-DFP8", "-DUSE_GPU"), ("-DUSE_GPU",)]


def test_a_source_of_one_target_is_parsed_once(
    parsed_sources: list[tuple[str, tuple[str, ...]]],
) -> None:
    assert [flags for file, flags in parsed_sources if file == "examples/alone.cu"] == [
        ("-DHALF",)
    ]


@pytest.mark.parametrize("blank_call", ["endif( )", "else (\t)", "endif(\n)"])
def test_calls_with_blank_arguments_are_passed_over(
    blank_call: str, plant: Plant
) -> None:
    lists = (
        "add_library(half k.cu)\nadd_library(full k.cu)\nif(WIN32)\n"
        f"{blank_call}\ntarget_compile_definitions(half PRIVATE HALF=1)\n"
    )
    tree = plant({"CMakeLists.txt": lists, "k.cu": ""}).tree
    assert find_target_specific_macros(tree) == {"k.cu": {"HALF"}}
