from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.checkout.runtime_names import count_runtime_names

CUDA_LINE = "cudaMalloc(&p, 4);\n"
HIP_LINE = "hipMalloc(&p, 4);\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", (0, 0)),
        ("int x = barracuda;\n", (0, 0)),
        ("cudaMalloc(&p, 4); cublasCreate(&h); cub::Sum();\n", (3, 0)),
        ("#include <cuda_fp16.h>\n", (1, 0)),
        ("hipMalloc(&p, 4); hipblasCreate(&h);\n", (0, 2)),
        ("#include <hip/hip_runtime.h>\n", (0, 1)),
        ("ship(); hipster();\n", (0, 0)),
        (CUDA_LINE + HIP_LINE, (1, 1)),
    ],
)
def test_names_of_each_runtime_are_counted(
    text: str, expected: tuple[int, int]
) -> None:
    assert count_runtime_names(text) == expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("#ifdef USE_ROCM", (1, 0)),
        ("#if defined(__HIP_PLATFORM_AMD__)", (1, 0)),
        ("  #  if HIP_VERSION > 5", (1, 0)),
        ("#ifndef USE_ROCM", (1, 1)),
        ("#if !defined(USE_ROCM)", (1, 1)),
        ("#if defined(USE_ROCM) || defined(USE_CUDA)", (1, 1)),
        ("#if DEBUG", (1, 1)),
    ],
)
def test_names_under_a_condition_that_hip_alone_fulfils_do_not_count(
    condition: str, expected: tuple[int, int]
) -> None:
    text = f"{CUDA_LINE}{condition}\n{HIP_LINE}#endif\n"
    assert count_runtime_names(text) == expected


def test_the_else_of_what_is_not_hip_is_hip() -> None:
    text = f"#ifndef USE_ROCM\n{CUDA_LINE}#else\n{HIP_LINE * 3}#endif\n"
    assert count_runtime_names(text) == (1, 0)


def test_an_elif_is_a_condition_of_its_own() -> None:
    text = f"#ifdef USE_ROCM\n{HIP_LINE}#elif USE_CUDA\n{CUDA_LINE}#endif\n{HIP_LINE}"
    assert count_runtime_names(text) == (1, 1)


def test_where_no_other_line_has_a_name_all_count() -> None:
    text = f"#ifdef USE_ROCM\n{HIP_LINE}{CUDA_LINE}#endif\n"
    assert count_runtime_names(text) == (1, 1)


def test_a_builtin_of_amd_outside_any_condition_makes_a_source_hip() -> None:
    builtin = "__builtin_amdgcn_sched_barrier(0);\n"
    assert count_runtime_names(CUDA_LINE * 5 + builtin) == (0, 1)
    guarded = f"#ifdef USE_ROCM\n{builtin}#endif\n"
    assert count_runtime_names(CUDA_LINE + guarded) == (1, 0)


LINES = st.sampled_from(
    ["#if HIP", "#ifndef HIP", "#else", "#elif CUDA", "#endif", CUDA_LINE, HIP_LINE]
)


@given(st.lists(LINES, max_size=30).map("\n".join))
def test_never_more_names_count_than_there_are(text: str) -> None:
    cuda_count, hip_count = count_runtime_names(text)
    assert 0 <= cuda_count <= text.count("cuda")
    assert 0 <= hip_count <= text.count("hip")
