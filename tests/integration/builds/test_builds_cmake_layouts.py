"""CMake projects of unusual layouts: presets, several beside each other, and hostile ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crawler.builds.cmake import configure_session
from crawler.errors import ConfigureFailed
from crawler.model import Dialect
from tests.integration.builds.cmake_projects import BEGIN, KERNEL, flags, learn

pytestmark = pytest.mark.apt("cmake", "ninja", "bwrap")


def test_presets_say_what_is_switched_on(tmp_path: Path) -> None:
    presets = {
        "version": 3,
        "configurePresets": [
            {
                "name": "base",
                "hidden": True,
                "cacheVariables": {"PARTS": {"type": "STRING", "value": "src"}},
            },
            {"name": "plain", "inherits": "base"},
            {
                "name": "gpu-cuda",
                "inherits": ["base"],
                "cacheVariables": {
                    "WITH": "everything",
                    "ROOT": "${sourceDir}/inc",
                    "CMAKE_CUDA_COMPILER": "/nvcc",
                },
            },
        ],
    }
    text = (
        BEGIN
        + 'if(WITH STREQUAL "everything")\nenable_language(CUDA)\nadd_library(p ${PARTS}/k.cu)\n'
    )
    text += "target_include_directories(p PRIVATE ${ROOT})\nendif()\n"
    commands = learn(
        tmp_path, {"CMakeLists.txt": text, "CMakePresets.json": json.dumps(presets)}
    )
    assert "-Iinc" in flags(commands)


def test_what_scikit_build_and_setup_py_hand_to_cmake(tmp_path: Path) -> None:
    text = (
        BEGIN
        + "if(PARTS AND MORE AND LEAST)\nenable_language(CUDA)\nadd_library(p ../src/k.cu)\nendif()\n"
    )
    table = '[tool.scikit-build]\ncmake.source-dir = "native"\ncmake.args = ["-DPARTS=1"]\ncmake.define.MORE = true\n'
    setup = 'cmake_args = ["-DLEAST=1", f"-DCMAKE_PREFIX_PATH={here}"]\n'
    files = {
        "native/CMakeLists.txt": text,
        "pyproject.toml": table,
        "setup.py": setup,
        "CMakeLists.txt": "broken(",
    }
    assert learn(tmp_path, files)


def test_projects_beside_each_other_and_folders_without_one(tmp_path: Path) -> None:
    template = (
        BEGIN
        + "enable_language(CUDA)\nadd_executable(p k.cu)\ntarget_compile_definitions(p PRIVATE {})\n"
    )
    files = {
        f"{name}/CMakeLists.txt": template.format(name.upper()) for name in ("a", "b")
    }
    files |= {f"{name}/k.cu": KERNEL for name in ("a", "b", "c")}
    files["c/CMakeLists.txt"] = (
        "add_library(c k.cu)\ntarget_compile_definitions(c PRIVATE C)\n"
    )
    commands = learn(tmp_path, files)
    assert {
        name: sorted(flags(commands, f"{name}/k.cu") & {"-DA", "-DB", "-DC"})
        for name in "abc"
    } == {
        "a": ["-DA"],
        "b": ["-DB"],
        "c": ["-DC"],
    }


def test_folders_are_configured_where_the_top_cannot_be(tmp_path: Path) -> None:
    part = BEGIN + "enable_language(CUDA)\nadd_library(p k.cu)\n"
    files = {
        "CMakeLists.txt": BEGIN + "foreach(x)\n",
        "part/CMakeLists.txt": part,
        "part/k.cu": KERNEL,
    }
    commands = learn(tmp_path, files)
    assert [
        command.file for command in commands if command.dialect is Dialect.CUDA
    ] == ["part/k.cu"]


def test_blanks_and_letters_of_any_script_in_paths(tmp_path: Path) -> None:
    text = BEGIN + 'enable_language(CUDA)\nadd_library(p "src/für dich/k 1.cu")\n'
    text += 'target_include_directories(p PRIVATE "inc/zwei wörter")\n'
    files = {
        "CMakeLists.txt": text,
        "src/für dich/k 1.cu": KERNEL,
        "inc/zwei wörter/k.h": "",
    }
    assert "-Iinc/zwei wörter" in flags(
        learn(tmp_path, files, "mit Leerzeichen ü"), "src/für dich/k 1.cu"
    )


def test_a_build_that_writes_into_its_sources_gets_its_own(tmp_path: Path) -> None:
    text = (
        BEGIN
        + 'enable_language(CUDA)\nfile(WRITE "${CMAKE_SOURCE_DIR}/src/made.h" "x")\n'
    )
    text += 'if(NOT EXISTS "${CMAKE_SOURCE_DIR}/src/made.h")\nreturn()\nendif()\nadd_library(p src/k.cu)\n'
    assert flags(learn(tmp_path, text)) is not None
    assert not (tmp_path / "project/src/made.h").exists()


def test_both_too_old_and_too_new_a_minimum(tmp_path: Path) -> None:
    for name, version in (("old", "2.6"), ("new", "3.99...4.2 FATAL_ERROR")):
        text = f"cmake_minimum_required(VERSION {version})\nproject(p CXX CUDA)\nadd_library(p src/k.cu)\n"
        commands = learn(tmp_path, text, name)
        assert [
            command.file for command in commands if command.dialect is Dialect.CUDA
        ] == ["src/k.cu"]


def test_an_endless_project_is_ended_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configure_session, "_SECONDS", 1.0)
    with pytest.raises(ConfigureFailed, match="over 1 seconds"):
        learn(tmp_path, BEGIN + "while(TRUE)\nendwhile()\n")


def test_a_project_that_has_commands_of_the_same_names(tmp_path: Path) -> None:
    text = (
        BEGIN
        + """
macro(message)
  _message(${ARGV})
endmacro()
function(add_subdirectory)
endfunction()
macro(find_package)
  _find_package(${ARGV})
endmacro()
message(STATUS "mine")
find_package(Threads)
enable_language(CUDA)
add_library(p src/k.cu)
"""
    )
    assert [command.file for command in learn(tmp_path, text)] == ["src/k.cu"]
