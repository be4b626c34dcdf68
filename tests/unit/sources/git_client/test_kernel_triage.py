from __future__ import annotations

import pytest

from crawler.sources.git_client.kernel_triage import (
    has_device_source,
    has_kernel_keyword,
    may_hold_code,
    select_candidate_files,
)


@pytest.mark.parametrize(
    "path", ["a.cu", "src/A.CUH", "x.hip", "x.hiph", "k.cuda", "k.cu.in", "k.cuh.jinja"]
)
def test_a_suffix_shows_a_device_source(path: str) -> None:
    assert has_device_source(["README.md", path])


@pytest.mark.parametrize("path", ["a.cpp", "cu", ".cu", "a.cut", "cuda/a.h", "a.hipp"])
def test_any_other_name_does_not(path: str) -> None:
    assert not has_device_source([path])


@pytest.mark.parametrize(
    "path", ["a/config.h.in", "k.cu.in", "a.hpp", "Config.cmake.in"]
)
def test_a_template_of_a_source_may_hold_code(path: str) -> None:
    assert may_hold_code(path)


@pytest.mark.parametrize("path", ["data/bm1/poses.in", "input.IN", "a.txt"])
def test_what_a_program_reads_as_it_runs_holds_none(path: str) -> None:
    assert not may_hold_code(path)


def test_candidates_are_sources_with_a_hint_shallow_ones_first() -> None:
    paths = [
        "deep/er/gpu.cpp",
        "src/kernels.py",
        "a_kernel.h",
        "ship.cpp",
        "hip_utils.cpp",
        "cuda.md",
        "main.cpp",
        "RawModule.jl",
    ]
    assert select_candidate_files(paths) == (
        "RawModule.jl",
        "a_kernel.h",
        "hip_utils.cpp",
        "src/kernels.py",
        "deep/er/gpu.cpp",
    )


def test_no_more_candidates_than_are_worth_fetching() -> None:
    paths = [f"gpu{number}.cpp" for number in range(3000)]
    assert len(select_candidate_files(paths)) == 2000


def test_a_kernel_is_known_by_the_whole_word() -> None:
    assert has_kernel_keyword(b'extern "C" __global__ void k();')
    assert not has_kernel_keyword(b"x__global__ __global__y __device__ void k();")
