from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.builds.build_files.build_hints import (
    BuildHints,
    is_device_switch,
    read_build_hints,
)
from crawler.model import Dialect

Plant = Callable[[dict[str, str]], Any]


@pytest.mark.parametrize(
    ("build_file", "text"),
    [
        ("setup.py", "define_macros += [('OPS_WITH_CUDA', None)]"),
        ("setup.py", 'define_macros=[("OPS_WITH_CUDA", "")]'),
        ("pkg/builder.py", "args = ['nvcc', '-DOPS_WITH_CUDA']"),
        ("CMakeLists.txt", "add_definitions(-DOPS_WITH_CUDA)"),
        ("CMakeLists.txt", "target_compile_definitions(ops PRIVATE OPS_WITH_CUDA)"),
        ("Makefile", "NVCCFLAGS += -D OPS_WITH_CUDA"),
    ],
)
def test_macros_that_build_files_define_are_switched_on_where_tested(
    plant: Plant, build_file: str, text: str
) -> None:
    hints = read_build_hints(plant({build_file: text}).tree)
    assert hints.make_defines({"OPS_WITH_CUDA", "OTHER_CUDA"}, Dialect.CUDA) == (
        "-DOPS_WITH_CUDA",
    )
    assert hints.make_defines({"ELSE"}, Dialect.CUDA) == ()


def test_values_are_kept_and_computed_ones_left_out(plant: Plant) -> None:
    hints = read_build_hints(
        plant(
            {"setup.py": "'-DCUDA_HAS_FP16=1', '-DX_CUDA=${VALUE}', f'-DY_CUDA={y}'"}
        ).tree
    )
    assert hints.make_defines({"CUDA_HAS_FP16"}, Dialect.CUDA) == ("-DCUDA_HAS_FP16=1",)
    assert not any("$" in value or "{" in value for value in hints.macros.values())


@pytest.mark.parametrize(
    ("macro", "cuda", "hip"),
    [
        ("OPS_WITH_CUDA", True, False),
        ("USE_ROCM", False, True),
        ("ENABLE_BF16", True, True),
        ("WITH_GPU", True, True),
        ("NO_CUDA", False, False),
        ("DISABLE_FP16", False, False),
        ("WITH_MLU", False, False),
        ("NDEBUG", False, False),
        ("USE_MPI", False, False),
    ],
)
def test_a_macro_is_judged_by_its_words(macro: str, cuda: bool, hip: bool) -> None:
    assert (
        is_device_switch(macro, Dialect.CUDA),
        is_device_switch(macro, Dialect.HIP),
    ) == (cuda, hip)


@pytest.mark.parametrize(
    ("files", "standard"),
    [
        ({"setup.py": "'-std=c++14'"}, 17),
        ({"setup.py": "'-std=c++14', '-std=c++20'"}, 20),
        ({"CMakeLists.txt": "set(CMAKE_CUDA_STANDARD 20)"}, 20),
        ({"CMakeLists.txt": "target_compile_features(a PUBLIC cxx_std_20)"}, 20),
        ({"third_party/x/CMakeLists.txt": "set(CMAKE_CXX_STANDARD 23)"}, 17),
        ({}, 17),
    ],
)
def test_the_newest_standard_that_the_project_names(
    plant: Plant, files: dict[str, str], standard: int
) -> None:
    assert read_build_hints(plant({"k.cu": "", **files}).tree).standard == standard


@given(st.text(max_size=60), st.sampled_from([*Dialect, None]))
def test_any_name_can_be_judged(name: str, dialect: Dialect | None) -> None:
    assert BuildHints(macros={name: ""}).make_defines({name}, dialect) in (
        (),
        (f"-D{name}",),
    )


@pytest.mark.parametrize(
    "piece", ["target_compile_definitions(", "-D", "('", '("a", "', '-DA="', "\n"]
)
def test_hostile_build_files_take_linear_time(plant: Plant, piece: str) -> None:
    started = time.process_time()
    read_build_hints(plant({"CMakeLists.txt": piece * (200_000 // len(piece))}).tree)
    assert time.process_time() - started < 3
