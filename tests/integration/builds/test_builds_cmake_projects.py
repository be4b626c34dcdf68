"""CMake projects of many kinds, none of which this machine could build."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import Dialect
from tests.integration.builds.cmake_projects import BEGIN, KERNEL, flags, learn

pytestmark = pytest.mark.apt("cmake", "ninja", "bwrap")


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
