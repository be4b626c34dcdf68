from __future__ import annotations

from pathlib import Path

from crawler.builds.cmake.cmake_facts import (
    CMakeFacts,
    read_cmake_facts,
    relax_minimum_version,
)
from crawler.checkout.source_tree import open_tree
from crawler.model import Dialect


def read(root: Path, text: str) -> CMakeFacts:
    root.mkdir(exist_ok=True)
    (root / "CMakeLists.txt").write_text(text)
    return read_cmake_facts(open_tree(root))


def test_switches_that_a_function_of_the_project_declares(tmp_path: Path) -> None:
    text = """
function(set_option group name default)
  option(${name} "" ${default})
endfunction()
set_option(GPU P_ENABLE_CUDA OFF)
set_option(GPU P_ENABLE_HIP OFF)
"""
    facts = read(tmp_path, text)
    assert facts.choose_switches(Dialect.CUDA) == {
        "P_ENABLE_CUDA": "ON",
        "P_ENABLE_HIP": "OFF",
    }


def test_switches_of_a_dialect_and_none_of_the_other(tmp_path: Path) -> None:
    text = """
option(WITH_CUDA "" OFF)
cmake_dependent_option(P_CUDA_GRAPHS "" OFF "WITH_CUDA" OFF)
set(P_USE_ROCM "OFF" CACHE BOOL "")
option(DISABLE_CUDA "" OFF)
option(P_AVX512_BF16 "" OFF)
# option(OLD_CUDA "" OFF)
"""
    facts = read(tmp_path, text)
    assert facts.choose_switches(Dialect.CUDA) == {
        "WITH_CUDA": "ON",
        "P_CUDA_GRAPHS": "ON",
        "P_USE_ROCM": "OFF",
    }
    assert facts.choose_switches(Dialect.HIP) == {
        "WITH_CUDA": "OFF",
        "P_CUDA_GRAPHS": "OFF",
        "P_USE_ROCM": "ON",
    }


def test_a_choice_is_by_the_words_that_it_is_compared_with(tmp_path: Path) -> None:
    text = 'set(DEVICE "cpu" CACHE STRING "")\nif(DEVICE STREQUAL "Cuda")\nelseif("${DEVICE}" MATCHES "^rocm")\nendif()\n'
    facts = read(tmp_path, text)
    assert facts.choose_switches(Dialect.CUDA) == {"DEVICE": "Cuda"}
    assert facts.choose_switches(Dialect.HIP) == {"DEVICE": "rocm"}


def test_commands_targets_and_interpreters(tmp_path: Path) -> None:
    text = "function(Mine)\nendfunction()\nmine()\nTheirs(x)\ntarget_link_libraries(a b::c)\n"
    text += "if(MY_PYTHON_EXECUTABLE)\nendif()\n"
    facts = read(tmp_path, text)
    assert facts.defined_commands == {"mine"}
    assert "theirs" in facts.undefined_commands
    assert "mine" not in facts.undefined_commands
    assert facts.imported_targets == ("b::c",)
    assert facts.python_variables == ("MY_PYTHON_EXECUTABLE",)


def test_only_a_newer_minimum_is_written_anew(tmp_path: Path) -> None:
    for version, expected in (
        ("3.22", None),
        ("3.30...4.1", "3.18"),
        ("4.0 FATAL_ERROR", "3.18 FATAL_ERROR"),
    ):
        read(tmp_path, f"cmake_minimum_required(VERSION {version})\n")
        relaxed_texts = relax_minimum_version(open_tree(tmp_path))
        assert relaxed_texts.get("CMakeLists.txt") == (
            expected and f"cmake_minimum_required(VERSION {expected})\n"
        )
