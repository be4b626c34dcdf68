"""A folder of tests that builds by itself: what lies in it, and how its parts name each other."""

from __future__ import annotations

import ast
import json
from dataclasses import replace

import pytest

from crawler.model import Dialect, KernelUnit
from crawler.validate.harness.harness_package import build_harness_package
from crawler.validate.harness.judged_test import JudgedTest, build_judged_test
from crawler.validate.harness.program import (
    HEADER_TREES,
    Harness,
    build_harness,
    list_build_commands,
    to_identifier,
)
from crawler.validate.harness.project_folder import (
    collect_cpu_headers,
    render_folder,
)
from crawler.validate.values.blobs import Blobs
from tests.stand_ins import kernels
from tests.stand_ins.kernels import Does


def build_test(dialect: Dialect, name: str, blobs: Blobs) -> tuple[KernelUnit, Harness]:
    unit = kernels.unit(dialect)
    suite = kernels.suite_of(Does.ITS_WORK, unit, blobs)
    return unit, build_harness(unit, suite, blobs, name=name)


def build_judged(dialect: Dialect, name: str) -> JudgedTest:
    blobs = Blobs()
    unit = kernels.unit(dialect)
    suite = kernels.suite_of(Does.ITS_WORK, unit, blobs)
    return build_judged_test(unit, suite, blobs, name=name)


def test_every_test_is_in_the_project_once_and_in_order() -> None:
    files = render_folder(
        [build_judged(Dialect.HIP, "test_b"), build_judged(Dialect.CUDA, "test_a")]
    )
    cmake = files["CMakeLists.txt"].decode()
    lines = [line for line in cmake.splitlines() if line.startswith("kernel_test(")]
    assert lines == [
        "kernel_test(test_a cuda)",
        "kernel_test(test_b hip)",
    ]
    assert json.loads(files["tests.json"]) == {"test_a": "cuda", "test_b": "hip"}
    assert sorted(name for name in files if not name.startswith("judge/")) == [
        "CMakeLists.txt",
        "README.md",
        "kernels/test_a.cu",
        "kernels/test_b.hip",
        "test_a.cu",
        "test_b.hip",
        "test_kernels.py",
        "tests.json",
    ]


def test_headers_are_where_the_judge_looks_for_them() -> None:
    files = render_folder([build_judged(Dialect.CUDA, "test_a")])
    cases = files["judge/test_a.cases"].decode()
    assert f"\nheaders {len(HEADER_TREES)} {' '.join(HEADER_TREES)}\n" in cases
    names = collect_cpu_headers()
    for tree in HEADER_TREES:
        assert any(name.startswith(f"include/{tree}/") for name in names)


def test_our_googletest_does_not_stand_before_the_real_one() -> None:
    assert not any("gtest" in name for name in collect_cpu_headers())


def test_the_module_that_runs_them_is_python_and_skips_nothing() -> None:
    files = render_folder([build_judged(Dialect.HIP, "test_b")])
    module = files["test_kernels.py"].decode()
    ast.parse(module)
    assert "skip" not in module
    assert "SKIP" not in files["CMakeLists.txt"].decode()


def test_cmake_and_pytest_look_for_the_same_compilers_as_the_judge() -> None:
    files = render_folder([])
    names = ("clang++", "clang++-21", "clang++-20", "clang++-19", "clang++-18", "g++")
    for file in ("CMakeLists.txt", "test_kernels.py", "judge/options.h"):
        words = files[file].decode().replace('"', " ").replace(",", " ").split()
        places = [words.index(name) for name in names]
        assert places == sorted(places), file


@pytest.mark.parametrize(
    ("dialect", "standard", "first", "second"),
    [
        (Dialect.HIP, "c++17", "hipcc -std=c++17 ", "-std=gnu++17 "),
        (Dialect.CUDA, "c++20", "nvcc -std=c++20 ", "-std=gnu++20 "),
    ],
)
def test_a_test_is_built_by_its_compiler_or_for_a_cpu(
    dialect: Dialect, standard: str, first: str, second: str
) -> None:
    unit = replace(kernels.unit(dialect), standard=standard)
    own, cpu = list_build_commands(unit, "t.cu", "t")
    assert own == f"{first}t.cu -o t"
    assert cpu.startswith("${CXX:-clang++-19} -x c++ ")
    assert second in cpu
    assert cpu.index("include/cpu") < cpu.index("include/common")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("blur", "blur"),
        ("2d-blur", "_2d_blur"),
        ("ns::k<int>", "ns__k_int_"),
        ("_k", "_k"),
        ("größe", "größe"),
        ("", "_"),
    ],
)
def test_any_text_is_a_name(text: str, name: str) -> None:
    assert to_identifier(text) == name


def test_a_program_has_a_main_and_no_library() -> None:
    blobs = Blobs()
    _, harness = build_test(Dialect.CUDA, "test_a", blobs)
    assert "int main(" in harness.source
    assert "gtest" not in harness.source
    head = harness.source.partition("\n#")[0]
    assert "//   nvcc -std=c++17 test_a.cu -o test_a\n" in head
    assert "running the same kernel on a CPU" in head


def test_hidden_cases_are_in_no_form_of_a_test() -> None:
    blobs = Blobs()
    unit = kernels.unit(Dialect.CUDA)
    shown_case = kernels.case(Does.ITS_WORK, blobs, n=5, name="shown")
    hidden = kernels.case(Does.ITS_WORK, blobs, n=7, name="secret")
    suite = kernels.suite(unit, [shown_case, replace(hidden, hidden=True)])
    package = build_harness_package(unit, suite, blobs, (), name="k")
    own_files = [
        content
        for name, content in package.files.items()
        if not name.startswith("include/")
    ]
    assert any(b"shown" in content for content in own_files)
    assert not any(b"secret" in content for content in own_files)


def test_a_package_has_every_form_and_says_why_one_is_missing() -> None:
    blobs = Blobs()
    unit = kernels.unit(Dialect.HIP)
    suite = kernels.suite_of(Does.ITS_WORK, unit, blobs)
    package = build_harness_package(unit, suite, blobs, (), name="2d blur")
    names = set(package.files)
    assert {"test__2d_blur.hip", "google_test__2d_blur.cpp"} <= names
    assert not any(name.startswith("extension/") for name in names)
    assert package.extension_problem.startswith("no-cases")
