"""Kernels under conditions of an architecture are seen as a compiler for such a device sees them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.passes.device_architectures import choose_architectures
from crawler.extract.syntax.unit_text import UnitText
from crawler.model import Layer

GENERATIONS = """
#if __CUDA_ARCH__ >= 500
__global__ void maxwell(float *x) { x[0] = 1; }
#elif __CUDA_ARCH__ == 350
__device__ float halve(float x) { return x / 2; }
__global__ void kepler(float *x) { x[0] = halve(x[1]); }
#else
__global__ void fermi(float *x) { x[0] = 3; }
#endif
"""


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("#if __CUDA_ARCH__ < 500\nK\n#endif", 370),
        ("#if __CUDA_ARCH__ >= 500\n#else\nK\n#endif", 370),
        ("#if 300 <= __CUDA_ARCH__ && __CUDA_ARCH__ <= 350 // old\nK\n#endif", 350),
        ("#if __CUDA_ARCH__ < 350 \\\n && WITH_OLD\nK\n#endif", 320),
        ("#ifdef __CUDA_ARCH__\n#if __CUDA_ARCH__ == 610\nK\n#endif\n#endif", 610),
        ("#if __CUDA_ARCH__ > 800\nK\n#endif", 1210),
    ],
)
def test_the_newest_that_the_conditions_let_through_comes_first(
    text: str, first: int, tmp_path: Path
) -> None:
    (tmp_path / "a.cu").write_text(text)
    unit_text = UnitText(SourceFiles(tmp_path), ("a.cu",))
    assert choose_architectures(unit_text, [("a.cu", text.index("K"))])[0] == first


@pytest.mark.parametrize(
    "text",
    [
        "#if WITH_IT\nK\n#endif",
        "#if __CUDA_ARCH__ < 500\n#endif\nK",
        "#if __CUDA_ARCH__ < 500 && __CUDA_ARCH__ > 600\nK\n#endif",
        "#ifndef __CUDA_ARCH__\nK\n#endif",
    ],
)
def test_no_architecture_shows_what_none_decides(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text(text)
    unit_text = UnitText(SourceFiles(tmp_path), ("a.cu",))
    assert choose_architectures(unit_text, [("a.cu", text.index("K"))]) == []


def test_each_generation_has_its_kernel_by_the_ast(project: Callable[..., Any]) -> None:
    kernels = project({"a.cu": GENERATIONS}).kernels()
    assert [(kernel.name, kernel.found_by, kernel.reason) for kernel in kernels] == [
        ("maxwell", Layer.AST, ""),
        ("kepler", Layer.AST, "seen with -D__CUDA_ARCH__=350"),
        ("fermi", Layer.AST, "seen with -D__CUDA_ARCH__=370"),
    ]
    unit = kernels[1].unit
    assert unit is not None
    assert "float halve(float x)" in unit.source


def test_a_body_for_older_devices_is_a_kernel_beside_the_usual_one(
    project: Callable[..., Any],
) -> None:
    text = """
#if __CUDA_ARCH__ < 700
__global__ void step(int *x) { x[0] = 1; }
#else
__global__ void step(int *x) {}
#endif
"""
    kernels = project({"a.cu": text}).kernels()
    assert [(kernel.reason, "x[0]" in kernel.source) for kernel in kernels] == [
        ("seen with -D__CUDA_ARCH__=620", True),
        ("", False),
    ]


def test_a_launch_has_its_types_beside_another_architecture(
    project: Callable[..., Any],
) -> None:
    text = """
#include <no/such/library.h>
template <class T> __global__ void scale(T *x) { x[0] = x[0] * T(2); }
#if __CUDA_ARCH__ < 500
__global__ void fermi(float *x) { x[0] = 3; }
#endif
#if __CUDA_ARCH__ >= 500
library::Unknown fill(float *x);
#endif
void run(float *x) { scale<<<1, 32>>>(x); }
"""
    kernels = {kernel.name: kernel for kernel in project({"a.cu": text}).kernels()}
    assert kernels["fermi"].reason == "seen with -D__CUDA_ARCH__=370"
    labels = [item.arguments for item in kernels["scale"].instantiations]
    assert labels == [("float",)]


def test_a_template_that_gets_made_up_arguments_says_how_it_is_seen(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project(
        {
            "a.cu": "#if __CUDA_ARCH__ < 500\n"
            "template <typename T> __global__ void old(T *x) { x[0] = T(1); }\n"
            "#endif\n"
        }
    ).kernels()
    assert kernel.instantiations
    assert kernel.reason.startswith("seen with -D__CUDA_ARCH__=")
