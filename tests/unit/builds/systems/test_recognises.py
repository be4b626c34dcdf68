"""What each build system takes for its own, and what it says where it finds nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.builds.interface import BuildSystem
from crawler.builds.meson import meson_projects
from crawler.builds.systems import (
    cmake,
    configure,
    existing,
    intercept,
    make,
    meson,
    ninja,
    setuptools,
    synthesised,
)
from crawler.checkout.include_graph import IncludeGraph
from crawler.errors import BadDatabase

KERNEL = "__global__ void k();\n"
Plant = Callable[[dict[str, str]], IncludeGraph]


@pytest.mark.parametrize(
    ("plugin", "files", "is_recognised"),
    [
        (cmake.PLUGIN, {"CMakeLists.txt": "project(p)\n"}, True),
        (
            cmake.PLUGIN,
            {"CMakeLists.txt": "add_library(p k.cu)\n", "k.cu": KERNEL},
            True,
        ),
        (cmake.PLUGIN, {"CMakeLists.txt": "add_library(p k.c)\n", "k.c": ""}, False),
        (configure.PLUGIN, {"configure": "#!/bin/sh\n# --with-cuda\n"}, True),
        (configure.PLUGIN, {"configure": "#!/usr/bin/perl\ncuda\n"}, False),
        (configure.PLUGIN, {"configure": "#!/bin/sh\n", "Makefile.in": "nvcc"}, True),
        (configure.PLUGIN, {"configure": "#!/bin/sh\n", "Makefile.in": "gcc"}, False),
        (existing.PLUGIN, {"build/compile_commands.json": "[]"}, True),
        (existing.PLUGIN, {"compile_commands.json.in": "[]"}, False),
        (intercept.PLUGIN, {"third_party/x/Makefile": ""}, False),
        (intercept.PLUGIN, {"Makefile": ""}, True),
        (make.PLUGIN, {"Makefile": "all:\n\tnvcc k.cu\n", "k.cu": KERNEL}, True),
        (make.PLUGIN, {"Makefile": "all:\n\tgcc k.c\n", "k.c": ""}, False),
        (meson.PLUGIN, {"meson.build": "project('p', 'cpp')\n"}, True),
        (meson.PLUGIN, {"meson.build": "subdir('src')\n"}, False),
        (ninja.PLUGIN, {"out/build.ninja": ""}, True),
        (ninja.PLUGIN, {"out/rules.ninja": ""}, False),
        (setuptools.PLUGIN, {"setup.py": "ext_modules=[]"}, True),
        (setuptools.PLUGIN, {"setup.py": "setup(name='p')"}, False),
        (setuptools.PLUGIN, {"ops.py": "cpp_extension\nx = load('a', [])"}, True),
        (setuptools.PLUGIN, {"ops.py": "import cpp_extension\n"}, False),
        (synthesised.PLUGIN, {"k.cuh": KERNEL}, True),
        (synthesised.PLUGIN, {"README.md": "kernels"}, False),
    ],
)
def test_a_build_system_recognises_its_files(
    plugin: BuildSystem, files: dict[str, str], is_recognised: bool, plant: Plant
) -> None:
    assert plugin.recognises(plant(files).tree) is is_recognised


def test_options_of_a_configure_script_ask_for_each_dialect() -> None:
    text = """
  --with-cuda=DIR       use CUDA
  --enable-hip          use HIP
  --with-cuda-arch=X    for one architecture
  --disable-dependency-tracking
"""
    cuda_options, hip_options = configure._list_option_sets(text)
    assert cuda_options == ("--disable-dependency-tracking", "--with-cuda=/opt/cuda")
    assert hip_options == ("--disable-dependency-tracking", "--enable-hip")


def test_a_configure_script_without_such_options_runs_once() -> None:
    assert configure._list_option_sets("--enable-debug") == [()]


def test_only_the_outermost_scripts_are_run(plant: Plant) -> None:
    script = "#!/bin/sh\nnvcc\n"
    tree = plant(
        {"a/configure": script, "a/inner/configure": script, "b/configure": script}
    ).tree
    assert configure._find_scripts(tree) == ["a/configure", "b/configure"]


def test_options_of_meson_are_switched_on_by_their_kind(plant: Plant) -> None:
    options = """
option('cuda', type: 'feature', value: 'disabled')
option('with-cuda-kernels', description: 'x', type: 'boolean')
option('docs', type: 'boolean')
option('cuda_arch', type: 'string')
"""
    tree = plant({"meson.build": "project('p')\n", "meson_options.txt": options}).tree
    switches = meson_projects.choose_device_options(tree, "")
    assert switches == ("-Dcuda=enabled", "-Dwith-cuda-kernels=true")


def test_a_project_of_meson_inside_another_is_no_own(plant: Plant) -> None:
    text = "project('p')\n"
    tree = plant({"a/meson.build": text, "a/sub/meson.build": text}).tree
    assert meson_projects.find_meson_projects(tree) == ["a"]


def test_the_first_database_says_why_none_can_be_used(
    plant: Plant, tmp_path: Path
) -> None:
    files = {"compile_commands.json": "no json", "out/compile_commands.json": "[]"}
    with pytest.raises(BadDatabase):
        existing.PLUGIN.find_commands(plant(files).tree, tmp_path)


def test_units_with_bindings_are_synthesised_and_other_host_code_is_not(
    plant: Plant, tmp_path: Path
) -> None:
    graph = plant(
        {
            "k.cu": KERNEL,
            "bind.cpp": "PYBIND11_MODULE(ops, m) {}\n",
            "host.cpp": "int main() {}\n",
        }
    )
    result = synthesised.PLUGIN.find_commands(graph.tree, tmp_path)
    assert [command.file for command in result.commands] == ["bind.cpp", "k.cu"]
    assert result.log == "0 includes found in the tree, 0 quoted ones not"
