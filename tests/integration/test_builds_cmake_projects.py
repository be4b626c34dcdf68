"""CMake projects of many kinds, none of which this machine could build."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from crawler.builds.cmake import configure_session
from crawler.builds.systems.cmake import PLUGIN
from crawler.checkout.source_tree import open_tree
from crawler.errors import ConfigureFailed
from crawler.model import CompileCommand, Dialect

pytestmark = pytest.mark.apt("cmake", "ninja", "bwrap")

KERNEL = '#include "k.h"\n__global__ void k(int* p) { *p = VALUE; }\n'
HIP = '#include <hip/hip_runtime.h>\n#include "k.h"\n__global__ void k(int* p) { *p = VALUE; hipFree(p); }\n'
SOURCES = {
    "src/k.cu": KERNEL,
    "src/k.hip": HIP,
    "inc/k.h": "#define VALUE 1\n",
    "src/host.cpp": "int x;\n",
}
BEGIN = "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CXX)\n"


def lay_out(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in {**SOURCES, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def learn(
    tmp_path: Path, files: Mapping[str, str] | str, name: str = "project"
) -> list[CompileCommand]:
    project = {"CMakeLists.txt": files} if isinstance(files, str) else files
    root = lay_out(tmp_path / name, project)
    scratch = tmp_path / f"{name}-scratch"
    scratch.mkdir()
    return list(PLUGIN.find_commands(open_tree(root), scratch).commands)


def flags(
    commands: list[CompileCommand],
    path: str = "src/k.cu",
    dialect: Dialect = Dialect.CUDA,
) -> set[str]:
    """The flags of the only command of a file in a dialect."""
    (command,) = [
        command
        for command in commands
        if command.file == path and command.dialect is dialect
    ]
    return set(command.arguments)


def test_the_cuda_language(tmp_path: Path) -> None:
    text = (
        BEGIN
        + "enable_language(CUDA)\nset(CMAKE_CUDA_STANDARD 20)\nadd_library(one src/k.cu)\n"
    )
    text += "target_include_directories(one PRIVATE inc)\ntarget_compile_definitions(one PRIVATE ONE=1)\n"
    assert {"-Iinc", "-DONE=1", "-std=c++20"} <= flags(learn(tmp_path, text))


def test_a_source_of_two_targets_has_the_flags_of_each(tmp_path: Path) -> None:
    text = BEGIN + "enable_language(CUDA)\n"
    text += "".join(
        f"add_library({name} src/k.cu)\ntarget_compile_definitions({name} PRIVATE {name})\n"
        for name in ("ONE", "TWO")
    )
    argument_sets = [set(command.arguments) for command in learn(tmp_path, text)]
    assert [{"-DONE", "-DTWO"} & arguments for arguments in argument_sets] == [
        {"-DONE"},
        {"-DTWO"},
    ]


def test_the_hip_language(tmp_path: Path) -> None:
    text = "cmake_minimum_required(VERSION 3.21)\nproject(p LANGUAGES CXX HIP)\nfind_package(hip REQUIRED)\n"
    text += "add_executable(one src/k.hip src/host.cpp)\ntarget_include_directories(one PRIVATE inc)\n"
    text += "target_link_libraries(one PRIVATE hip::device roc::rocblas)\n"
    text += "set_target_properties(one PROPERTIES HIP_STANDARD 17 HIP_EXTENSIONS OFF)\n"
    assert {"-Iinc", "-std=c++17"} <= flags(
        learn(tmp_path, text), "src/k.hip", Dialect.HIP
    )


def test_a_project_of_both_is_configured_for_each(tmp_path: Path) -> None:
    text = (
        BEGIN
        + """
option(USE_CUDA "of NVIDIA" OFF)
set(USE_HIP OFF CACHE BOOL "of AMD")
if(USE_CUDA AND NOT USE_HIP)
  enable_language(CUDA)
  add_library(of_cuda src/k.cu)
  target_compile_definitions(of_cuda PRIVATE OF_CUDA)
elseif(USE_HIP)
  enable_language(HIP)
  set_source_files_properties(src/k.cu PROPERTIES LANGUAGE HIP)
  add_library(of_hip src/k.cu)
  target_compile_definitions(of_hip PRIVATE OF_HIP)
endif()
"""
    )
    commands = learn(tmp_path, text)
    assert "-DOF_CUDA" in flags(commands)
    assert "-DOF_HIP" in flags(commands, dialect=Dialect.HIP)


def test_a_choice_between_vendors_is_made(tmp_path: Path) -> None:
    text = (
        BEGIN
        + """
set(BACKEND "none" CACHE STRING "what it runs on")
if(BACKEND STREQUAL "cuda")
  enable_language(CUDA)
  add_library(p src/k.cu)
endif()
"""
    )
    assert flags(learn(tmp_path, text))


def test_the_commands_of_find_cuda(tmp_path: Path) -> None:
    text = """
cmake_minimum_required(VERSION 2.8)
project(p)
find_package(CUDA 9.0 REQUIRED)
include_directories(inc)
list(APPEND CUDA_NVCC_FLAGS -DOLD=1 "-std=c++14")
cuda_include_directories(src)
cuda_add_library(one SHARED src/k.cu src/host.cpp OPTIONS -DMORE)
cuda_add_executable(two src/m.cu)
target_link_libraries(two one ${CUDA_LIBRARIES} ${CUDA_cublas_LIBRARY})
cuda_add_cublas_to_target(one)
cuda_compile(objects src/o.cu)
add_library(three src/host.cpp ${objects})
"""
    commands = learn(
        tmp_path, {"CMakeLists.txt": text, "src/m.cu": KERNEL, "src/o.cu": KERNEL}
    )
    assert {"-DOLD=1", "-DMORE", "-std=c++14", "-Iinc", "-Isrc"} <= flags(commands)
    assert "-DMORE" not in flags(commands, "src/m.cu")
    assert "-DOLD=1" in flags(commands, "src/o.cu")


def test_the_commands_of_find_hip(tmp_path: Path) -> None:
    text = (
        BEGIN
        + """
list(APPEND CMAKE_MODULE_PATH /opt/rocm/hip/cmake)
find_package(HIP REQUIRED)
set_source_files_properties(src/host.cpp PROPERTIES HIP_SOURCE_PROPERTY_FORMAT 1)
hip_include_directories(inc)
hip_add_executable(one src/host.cpp src/k.hip HIPCC_OPTIONS -DOF_HIPCC NVCC_OPTIONS -DOF_NVCC)
hip_add_library(two src/k.cu)
"""
    )
    commands = learn(tmp_path, text)
    assert {"-Iinc", "-DOF_HIPCC"} <= flags(commands, "src/k.hip", Dialect.HIP)
    assert "-DOF_HIPCC" in flags(commands, "src/host.cpp", Dialect.HIP)
    assert "-Iinc" in flags(commands, dialect=Dialect.HIP)


def test_packages_that_are_not_here_and_what_they_would_bring(tmp_path: Path) -> None:
    text = (
        BEGIN
        + """
find_package(Absent 3.1 REQUIRED COMPONENTS core)
find_package(Torch REQUIRED)
if(NOT TARGET Absent::core OR NOT Absent_core_FOUND)
  message(SEND_ERROR "no Absent::core")
endif()
find_library(LOST lost REQUIRED)
find_program(GONE gone REQUIRED)
include(${ABSENT_CMAKE_DIR}/helpers.cmake)
absent_setup(SOMETHING)
absent_add_library(one src/k.cu OPTIONS x)
add_subdirectory(submodule)
target_link_libraries(one PRIVATE Absent::core ${TORCH_LIBRARIES} ${LOST} Never::Named)
target_include_directories(one PRIVATE inc ${ABSENT_INCLUDE_DIR})
target_compile_options(absent PRIVATE -Wall)
execute_process(COMMAND git describe OUTPUT_VARIABLE version)
add_dependencies(one nothing)
install(TARGETS one two)
list(GET nothing 0 first)
"""
    )
    arguments = flags(learn(tmp_path, text))
    assert {"-Iinc", "-D__CUDACC_RELAXED_CONSTEXPR__"} <= arguments


def test_content_that_was_not_fetched(tmp_path: Path) -> None:
    text = (
        BEGIN
        + """
include(FetchContent)
FetchContent_Declare(one GIT_REPOSITORY https://example.org/one.git GIT_TAG v1)
FetchContent_Declare(two URL https://example.org/two.tar.gz)
FetchContent_MakeAvailable(one)
FetchContent_GetProperties(two)
if(NOT two_POPULATED)
  FetchContent_Populate(two)
  add_subdirectory(${two_SOURCE_DIR} ${two_BINARY_DIR})
endif()
enable_language(CUDA)
add_library(p src/k.cu src/made_by_one.cu)
target_include_directories(p PRIVATE inc ${two_SOURCE_DIR}/include)
target_link_libraries(p one::one two)
"""
    )
    assert "-Iinc" in flags(learn(tmp_path, text))


def test_commands_that_are_written_out_and_sources_that_are_translated(
    tmp_path: Path,
) -> None:
    text = (
        BEGIN
        + """
enable_language(HIP)
add_custom_command(OUTPUT k.o COMMAND nvcc -I${CMAKE_SOURCE_DIR}/inc -DOUT=1 -c ${CMAKE_SOURCE_DIR}/src/k.cu -o k.o)
add_custom_target(all_kernels ALL DEPENDS k.o)
set(made ${CMAKE_BINARY_DIR}/src/k.hip)
add_custom_command(OUTPUT ${made} COMMAND hipify-perl ${CMAKE_SOURCE_DIR}/src/k.cu DEPENDS src/k.cu)
add_library(p ${made})
"""
    )
    commands = learn(tmp_path, text)
    assert {"-Iinc", "-DOUT=1"} <= flags(commands)
    assert [command for command in commands if command.file == "src/k.hip"]


def test_fortran_beside_cuda(tmp_path: Path) -> None:
    text = "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES C CXX Fortran CUDA)\n"
    text += (
        "add_library(p src/k.cu src/f.f90)\ntarget_include_directories(p PRIVATE inc)\n"
    )
    text += "find_package(LAPACK REQUIRED)\n"
    commands = learn(
        tmp_path, {"CMakeLists.txt": text, "src/f.f90": "subroutine f\nend\n"}
    )
    assert "-Iinc" in flags(commands)


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
