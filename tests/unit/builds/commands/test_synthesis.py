from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from crawler.builds.commands.synthesis import (
    is_translation_unit,
    iter_alternatives,
    synthesise_command,
)
from crawler.checkout.include_graph import IncludeGraph
from crawler.model import Dialect, FlagsOrigin

KERNEL = "__global__ void k();\n"
Plant = Callable[[dict[str, str]], IncludeGraph]


def test_a_command_has_the_folders_of_what_the_file_includes(plant: Plant) -> None:
    files = {
        "src/k.cu": '#include "lib/a.h"\n' + KERNEL,
        "include/lib/a.h": "#pragma once\n",
    }
    command = synthesise_command("src/k.cu", plant(files))
    assert "-Iinclude" in command.arguments
    assert command.dialect is Dialect.CUDA
    assert (command.directory, command.origin) == (".", FlagsOrigin.SYNTHESISED)


def test_a_c_file_without_device_code_has_no_standard(plant: Plant) -> None:
    graph = plant({"a.c": "int a;\n", "b.cpp": "int b;\n"})
    assert not synthesise_command("a.c", graph).arguments
    (standard,) = synthesise_command("b.cpp", graph).arguments
    assert standard.startswith("-std=c++")


def test_a_macro_that_a_source_is_empty_without_is_defined(plant: Plant) -> None:
    source = "#ifdef P_KERNELS\n" + KERNEL + "#endif\n"
    graph = plant({"k.cu": source, "l.cu": '#include "l.h"\n' + source, "l.h": ""})
    assert "-DP_KERNELS" in synthesise_command("k.cu", graph).arguments


def test_the_switch_of_device_code_brings_that_of_its_language(plant: Plant) -> None:
    source = '#include "p.h"\n#ifdef P_USE_GPU\n' + KERNEL + "#endif\n"
    header = "#if defined(P_USE_CUDA) || defined(P_USE_HIP)\n#endif\n"
    graph = plant({"k.cu": source, "p.h": header})
    arguments = synthesise_command("k.cu", graph).arguments
    assert {"-DP_USE_GPU", "-DP_USE_CUDA"} <= set(arguments)
    assert "-DP_USE_HIP" not in arguments


def test_a_language_that_no_header_asks_for_is_not_set(plant: Plant) -> None:
    graph = plant({"k.cu": "#ifdef P_USE_GPU\n" + KERNEL + "#endif\n"})
    assert "-DP_USE_CUDA" not in synthesise_command("k.cu", graph).arguments


def test_the_lanes_of_a_warp_are_the_devices_own(plant: Plant) -> None:
    source = '#include "p.h"\n' + KERNEL
    header = "#if P_WARP_SIZE == 32\n#endif\n"
    graph = plant({"k.cu": source, "p.h": header})
    assert "-DP_WARP_SIZE=32" in synthesise_command("k.cu", graph).arguments
    own_value = "#ifndef P_WARP_SIZE\n#define P_WARP_SIZE 16\n#endif\n"
    graph = plant({"k.cu": source, "p.h": own_value + header})
    assert "-DP_WARP_SIZE=32" not in synthesise_command("k.cu", graph).arguments


def test_a_macro_that_a_header_defines_is_left_to_it(plant: Plant) -> None:
    source = '#include "config.h"\n#ifdef P_KERNELS\n' + KERNEL + "#endif\n"
    graph = plant({"k.cu": source, "config.h": "#define P_KERNELS 1\n"})
    assert "-DP_KERNELS" not in synthesise_command("k.cu", graph).arguments


def test_a_unit_is_a_source_that_no_file_includes(plant: Plant) -> None:
    graph = plant(
        {
            "a.cu": '#include "impl.cu"\n#include "a.cuh"\n',
            "impl.cu": KERNEL,
            "a.cuh": KERNEL,
            "notes.txt": "",
        }
    )
    units = [path for path in graph.tree.files if is_translation_unit(path, graph)]
    assert units == ["a.cu"]


def test_a_command_without_macros_of_single_targets_has_no_alternative(
    plant: Plant,
) -> None:
    graph = plant({"k.cu": KERNEL, "CMakeLists.txt": "add_library(p k.cu)\n"})
    command = synthesise_command("k.cu", graph)
    assert list(iter_alternatives(command, graph)) == []


def test_macros_of_one_target_are_left_out_in_an_alternative(plant: Plant) -> None:
    lists = """
project(p)
add_library(plain k.cu)
add_library(fast k.cu)
target_compile_definitions(fast PRIVATE WITH_CUDA_FAST)
"""
    graph = plant({"k.cu": KERNEL, "CMakeLists.txt": lists})
    arguments = ("-std=c++17", "-DWITH_CUDA_FAST=1", "-DOTHER", "-IWITH_CUDA_FAST")
    command = replace(synthesise_command("k.cu", graph), arguments=arguments)
    (alternative,) = iter_alternatives(command, graph)
    assert alternative.arguments == ("-std=c++17", "-DOTHER", "-IWITH_CUDA_FAST")


def test_headers_by_the_names_of_the_systems_own_come_behind_those(
    plant: Plant,
) -> None:
    files = {
        "k.cu": '#include <sys/time.h>\n#include "port/threads.h"\n' + KERNEL,
        "compat/sys/time.h": "void usleep(long);\n",
        "compat/port/threads.h": "",
    }
    arguments = synthesise_command("k.cu", plant(files)).arguments
    assert "-Icompat" not in arguments
    assert arguments[arguments.index("-idirafter") + 1] == "compat"


def test_a_header_that_is_asked_for_in_quotes_is_the_projects(plant: Plant) -> None:
    files = {
        "src/k.cu": '#include "memory.h"\n' + KERNEL,
        "include/memory.h": "#pragma once\n",
    }
    assert "-Iinclude" in synthesise_command("src/k.cu", plant(files)).arguments
