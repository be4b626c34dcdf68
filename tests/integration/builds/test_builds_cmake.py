from __future__ import annotations

from pathlib import Path

import pytest

from crawler import sandbox
from crawler.builds.database.compile_database import build_compile_database
from crawler.builds.systems.cmake import PLUGIN
from crawler.checkout.source_tree import open_tree
from crawler.model import CompileDatabase, FlagsOrigin
from crawler.sandbox import SelfTest

pytestmark = pytest.mark.apt

KERNEL = '#include "k.h"\n__global__ void k(int* p) { *p = VALUE; }\n'
OPTIONAL_CUDA = """
cmake_minimum_required(VERSION 4.5)
option(DEMO_CUDA "build for the GPU" OFF)
project(demo LANGUAGES CXX)
add_library(demo host.cpp)
if(DEMO_CUDA)
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  target_sources(demo PRIVATE src/k.cu)
  target_include_directories(demo PRIVATE inc /etc)
  target_compile_definitions(demo PRIVATE REAL=1)
  target_compile_options(demo PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr>)
  target_link_libraries(demo PRIVATE CUDA::cudart CUDA::cublas CUDA::cuda_driver)
  set_target_properties(demo PROPERTIES CUDA_STANDARD 17)
endif()
"""


def project(root: Path, cmake: str) -> Path:
    for name, text in {
        "CMakeLists.txt": cmake,
        "src/k.cu": KERNEL,
        "inc/k.h": "#define VALUE 1\n",
        "host.cpp": "int x;\n",
    }.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def commands(database: CompileDatabase) -> dict[str, tuple[str, ...]]:
    return {
        command.file: command.arguments
        for command in database.commands
        if command.origin is FlagsOrigin.EXPORTED
    }


def test_a_project_whose_gpu_part_is_off_and_wants_a_newer_cmake_is_exported(
    tmp_path: Path,
) -> None:
    database = build_compile_database(
        project(tmp_path, OPTIONAL_CUDA), strategies=("cmake",)
    )
    arguments = commands(database)["src/k.cu"]
    assert {"-DREAL=1", "-Iinc", "-std=c++17", "-D__CUDACC_RELAXED_CONSTEXPR__"} <= set(
        arguments
    )
    assert "/etc" not in " ".join(arguments)
    assert (database.relevant, database.covered) == (1, 1)
    assert "/etc" in database.strategies[0].log


def test_a_failed_configure_leaves_the_floor_and_its_reason(tmp_path: Path) -> None:
    broken = "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CXX)\nfind_package(NoSuchThing REQUIRED)\n"
    database = build_compile_database(project(tmp_path, broken), strategies=("cmake",))
    report = database.strategies[0]
    assert (report.strategy, report.code) == ("cmake", "configure-failed")
    assert "NoSuchThing" in report.message
    assert [command.origin for command in database.commands] == [
        FlagsOrigin.SYNTHESISED
    ]


def test_a_target_that_nobody_made_may_be_linked(tmp_path: Path) -> None:
    lost = "cmake_minimum_required(VERSION 3.18)\nproject(p LANGUAGES CXX CUDA)\nadd_library(p src/k.cu)\n"
    lost += "target_link_libraries(p PRIVATE No::Such)\ntarget_include_directories(p PRIVATE inc)\n"
    answer = PLUGIN.find_commands(
        open_tree(project(tmp_path / "p", lost)), _folder(tmp_path / "scratch")
    )
    (command,) = answer.commands
    assert (command.file, command.arguments[0]) == ("src/k.cu", "-Iinc")


def test_what_a_project_runs_sees_neither_the_host_nor_the_network(
    tmp_path: Path,
) -> None:
    spy = """
cmake_minimum_required(VERSION 3.18)
project(spy LANGUAGES CXX CUDA)
execute_process(COMMAND ls /root /home OUTPUT_VARIABLE seen ERROR_QUIET)
execute_process(COMMAND sed 1d /proc/net/route OUTPUT_VARIABLE routes ERROR_QUIET)
file(WRITE "${CMAKE_SOURCE_DIR}/written" "here")
message(STATUS "seen:[${seen}${routes}]")
add_library(spy src/k.cu)
"""
    root = project(tmp_path / "p", spy)
    answer = PLUGIN.find_commands(open_tree(root), _folder(tmp_path / "scratch"))
    assert "seen:[]" in answer.log
    assert "Read-only" in answer.log
    assert answer.commands
    assert not (root / "written").exists()


def test_without_a_sandbox_nothing_of_the_project_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        sandbox, "run_self_test", lambda: SelfTest(works=False, reason="none here")
    )
    marker = tmp_path / "ran"
    root = project(tmp_path / "p", f'project(p)\nfile(WRITE "{marker}" x)\n')
    report = build_compile_database(root, strategies=("cmake",)).strategies[0]
    assert (report.strategy, report.code) == ("cmake", "no-sandbox")
    assert not marker.exists()


def _folder(path: Path) -> Path:
    path.mkdir()
    return path
