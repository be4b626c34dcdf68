"""Lay out harnesses as a folder that builds by itself: sources, a CMake project, a pytest
module, headers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from crawler import headers
from crawler.model import KernelUnit
from crawler.toolchains.clang_flags import CALLED_CLANG
from crawler.validate.harness.program import HEADER_TREES, Harness, list_build_commands

_CMAKE_SOURCE: Final = """cmake_minimum_required(VERSION 3.21)
project(kernel_tests LANGUAGES CXX)
# cuda, hip, or cpu: what the tests are built for
set(BACKEND cpu CACHE STRING "cuda, hip or cpu")
enable_testing()
if(BACKEND STREQUAL cuda)
  enable_language(CUDA)
elseif(BACKEND STREQUAL hip)
  enable_language(HIP)
endif()

function(kernel_test name file language standard)
  if(NOT BACKEND STREQUAL cpu AND NOT BACKEND STREQUAL language)
    return()
  endif()
  string(TOUPPER ${BACKEND} word)
  string(REPLACE CPU CXX word ${word})
  add_executable(${name} ${file})
  set_source_files_properties(${file} PROPERTIES LANGUAGE ${word})
  set_target_properties(${name} PROPERTIES
    CXX_STANDARD ${standard} CUDA_STANDARD ${standard} HIP_STANDARD ${standard} CXX_EXTENSIONS ON)
  if(BACKEND STREQUAL cpu)
    # the extension of a source would tell clang another language
    target_compile_options(${name} PRIVATE -O2 -w -ffp-contract=off -fno-strict-aliasing -x c++)
    target_include_directories(${name} SYSTEM PRIVATE @TREES@)
  endif()
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 120)
endfunction()

"""
_PYTEST_SOURCE: Final = '''\
"""Builds each test with a compiler that is here, and runs it: `pytest` in this folder.

A test that no compiler of its GPU builds, or that finds no GPU, is built for the CPU.
"""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
COMMANDS = json.loads((HERE / "commands.json").read_text())
CPU_COMPILERS = (os.environ.get("CXX", ""), "clang++-19", "clang++", "g++", "c++")


def find_compiler(word):
    names = CPU_COMPILERS if word.startswith("$") else (word,)
    return next((path for path in map(shutil.which, names) if path), None)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_kernel(name, tmp_path):
    reasons = []
    for command in COMMANDS[name]:
        word, *flags, _ = command.split()
        compiler = find_compiler(word)
        if compiler is None:
            reasons.append(f"no {word} is here")
            continue
        program = str(tmp_path / name)
        subprocess.run([compiler, *flags, program], cwd=HERE, check=True)
        ended = subprocess.run(
            [program], cwd=HERE, capture_output=True, text=True, timeout=120, check=False
        )
        if ended.returncode == 77:
            reasons.append(f"built by {word}: {ended.stdout.strip()}")
            continue
        assert ended.returncode == 0, ended.stdout + ended.stderr
        assert "All tests passed!" in ended.stdout
        return
    pytest.skip("; ".join(reasons))
'''
# Of generated text, a line that ends with a backslash goes on in the next one.
_README: Final = """\
Each source here is a test by itself: a kernel, its cases, and what ought to come out. \
Its first lines say how
to build it. It prints `All tests passed!`, or what is wrong, and ends with 77 where there \
is no device.

    cmake -S . -B build -DBACKEND=cpu -DCMAKE_CXX_COMPILER=@COMPILER@

    cmake --build build && ctest --test-dir build

    pytest

The first two take `-DBACKEND=cuda` or `-DBACKEND=hip` as well. `pytest` builds a test with nvcc \
or hipcc, and for the
CPU where there is no such compiler or no GPU. On a CPU the headers under `include` stand for \
a device, and any
compiler of C++ does: `CXX` names another than clang++-19.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectTarget:
    """A test as the folder's projects name it."""

    name: str
    file: str
    language: str
    standard: str
    """`17`, of C++."""
    commands: tuple[str, ...]
    """How it is built."""


def describe_target(unit: KernelUnit, harness: Harness) -> ProjectTarget:
    """Return how a test of `unit` is built."""
    standard = unit.standard.removeprefix("c++")
    commands = list_build_commands(unit, harness.file, harness.name)

    return ProjectTarget(
        name=harness.name,
        file=harness.file,
        language=unit.dialect.value,
        standard=standard,
        commands=tuple(commands),
    )


def render_folder(
    harnesses: Iterable[tuple[KernelUnit, Harness]],
) -> Mapping[str, bytes]:
    """Return the files of a folder of tests by their names; their headers are those of
    `collect_cpu_headers`.
    """
    sources: dict[str, bytes] = {}
    stored_bytes: dict[str, bytes] = {}
    targets = []

    for unit, harness in harnesses:
        sources[harness.file] = harness.source.encode("utf-8", "surrogateescape")
        if harness.beside:
            stored_bytes[harness.beside_file] = harness.beside

        target = describe_target(unit, harness)
        targets.append(target)

    project_files = render_project_files(targets)
    return {**sources, **stored_bytes, **project_files}


def render_project_files(targets: Iterable[ProjectTarget]) -> Mapping[str, bytes]:
    """Return what builds and runs a folder of tests: a CMake project, a pytest module, and how
    to use them.
    """
    include_folders = " ".join([f"include/{tree}" for tree in HEADER_TREES])
    cmake = _CMAKE_SOURCE.replace("@TREES@", include_folders)
    commands = {}

    for target in sorted(targets, key=lambda target: target.name):
        words = (target.name, target.file, target.language, target.standard)
        arguments = " ".join(words)
        cmake += f"kernel_test({arguments})\n"
        commands[target.name] = target.commands

    readme = _README.replace("@COMPILER@", CALLED_CLANG)
    commands_json = json.dumps(commands, indent=2) + "\n"

    return {
        "CMakeLists.txt": cmake.encode(),
        "commands.json": commands_json.encode(),
        "test_kernels.py": _PYTEST_SOURCE.encode(),
        "README.md": readme.encode(),
    }


def collect_cpu_headers() -> Mapping[str, bytes]:
    """Return the headers that tests are built with on a CPU, by their names in a folder of
    tests.
    """
    files = {}
    for path in headers.list_header_files():
        name = path.relative_to(headers.ROOT)
        # our GoogleTest declares just enough for a parse: here it would stand before the real one
        if name.parts[0] in HEADER_TREES and "gtest" not in name.parts:
            files[f"include/{name}"] = path.read_bytes()

    return files
