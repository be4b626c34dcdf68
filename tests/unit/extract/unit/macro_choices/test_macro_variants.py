"""A kernel that the build's macros leave out is seen with the other choice of them, and says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceFiles
from crawler.extract.syntax.unit_text import UnitText
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.extract.unit.macro_choices.macro_variants import toggle_project_macros
from crawler.model import CompileCommand, Dialect, FlagsOrigin, Layer, UnitFacts

_SOURCE = """#ifndef A_CU
#define A_CU
#ifndef WIDE
#define WIDE 0
#endif
#define FIXED 0
__global__ void always(float* x) { x[0] = 1; }
#ifdef WITH_HALVES
__device__ float twice(float x) { return 2 * x; }
template <class T> __global__ void halves(T* x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
#else
__global__ void floats(float* x) { x[1] = 2; }
#if WIDE
__global__ void wide(float4* x) { x->w = 3; }
#endif
#if FIXED
__global__ void fixed(float* x) { x[2] = 3; }
#endif
#endif
#if defined(WITH_HALVES) && defined(__CUDA_ARCH__)
__global__ void both(float* x) { x[3] = 3; }
#endif
#ifdef WITH_HALVES
void use(double* x) { halves<<<1, 32>>>(x); }
#endif
#endif
"""


def extract(folder: Path, text: str, *arguments: str) -> UnitFacts:
    (folder / "a.cu").write_text(text)
    command = CompileCommand(
        file="a.cu",
        directory=".",
        arguments=arguments,
        origin=FlagsOrigin.EXPORTED,
        dialect=Dialect.CUDA,
    )
    return extract_unit_facts(folder, command)


def test_what_a_macro_leaves_out_is_seen_without_or_with_it(tmp_path: Path) -> None:
    kernels = {kernel.name: kernel for kernel in extract(tmp_path, _SOURCE).kernels}
    assert {
        name for name, kernel in kernels.items() if kernel.found_by is Layer.AST
    } == {*("always", "floats", "halves", "both")}
    assert kernels["halves"].reason == "seen with -DWITH_HALVES=1 -DWIDE=1"
    assert [
        instantiation.arguments for instantiation in kernels["halves"].instantiations
    ] == [("double",)]
    assert kernels["always"].reason == kernels["floats"].reason == ""
    built = {
        kernel.name: kernel
        for kernel in extract(tmp_path, _SOURCE, "-DWITH_HALVES").kernels
    }
    assert built["floats"].reason == "seen with -UWITH_HALVES -DWIDE=1"
    assert built["wide"].found_by is Layer.AST


def test_a_branch_for_the_other_compiler_is_seen_as_that_one_sees_it(
    tmp_path: Path,
) -> None:
    source = """#if defined(USE_CUDA) && defined(__CUDACC__)
__global__ void with_cuda(int* x) { *x = 1; }
#endif
#if defined(USE_HIP) && defined(__HIP__)
__global__ void with_hip(int* x) { *x = 2; }
#endif
"""
    kernels = {kernel.name: kernel for kernel in extract(tmp_path, source).kernels}
    assert {kernel.found_by for kernel in kernels.values()} == {Layer.AST}
    assert kernels["with_cuda"].dialect is Dialect.CUDA
    assert kernels["with_hip"].dialect is Dialect.HIP
    assert kernels["with_hip"].reason == "seen with -x hip -DUSE_HIP=1"


@pytest.mark.parametrize(
    ("condition", "flag"),
    [
        ("defined(MY_ARCH) and MY_ARCH >= 800", "-DMY_ARCH=800"),
        ("DIM == 3", "-DDIM=3"),
        ("(2 < DIM) && !defined(PLAIN)", "-DDIM=3"),
        ("not defined(OTHER) or OTHER", ""),
        ("LEVEL != 0 && DIM == 2", "-DLEVEL=1 -DDIM=2"),
    ],
)
def test_a_macro_gets_the_number_that_it_is_compared_with(
    tmp_path: Path, condition: str, flag: str
) -> None:
    text = f"#if {condition}\n__global__ void k(int* x) {{ *x = 1; }}\n#endif\n"
    (kernel,) = extract(tmp_path, text, "-DDIM=1").kernels

    assert kernel.found_by is Layer.AST
    assert kernel.reason == (flag and f"seen with {flag}")


def test_its_launches_come_with_it(tmp_path: Path) -> None:
    (launch,) = (
        launch
        for launch in extract(tmp_path, _SOURCE).launches
        if launch.target_offset >= 0
    )
    assert (launch.launch.kernel_name, launch.launch.template_arguments) == (
        "halves",
        (("double",),),
    )


def test_files_that_only_the_other_choice_reads_count(tmp_path: Path) -> None:
    (tmp_path / "more.h").write_text("inline __device__ int more() { return 1; }\n")
    text = '#ifdef MORE\n#include "more.h"\n__global__ void k(int* x) { *x = more(); }\n#endif\n'
    assert extract(tmp_path, text).files == ("a.cu", "more.h")


@pytest.mark.apt("clang++-19")
def test_its_unit_compiles_alone(
    project: Callable[..., Any], index_kernels: Callable[..., Any]
) -> None:
    unit = index_kernels(project({"a.cu": _SOURCE}).kernels())["halves"].unit
    assert "#define WITH_HALVES" not in unit.source
    assert "twice" in unit.source


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("#ifdef A\n", ("-DA=1",)),
        ("#ifndef A\n", None),
        ("#if !defined(A)\n", None),
        ("#if defined A // why\n", ("-DA=1",)),
        ("#if !A\n#else\n", ("-DA=1",)),
        ("#if A > 2\n", ("-DA=3",)),
        ("#ifdef A\n#elif B\n#else\n", None),
        ("#ifdef __CUDA_ARCH__\n", None),
        ("#ifdef CUDA_VERSION\n", None),
        ("#if 0\n", None),
        ("#endif\n#else\n#ifdef A\n", ("-DA=1",)),
        ("#if defined(A) && defined(__CUDACC__)\n", ("-DA=1",)),
        ("#if (defined(A) || defined(B)) && \\\n defined(C)\n", ("-DA=1", "-DC=1")),
        ("#if defined(A) && CUDA_VERSION >= 9000\n", ("-DA=1",)),
        ("#if defined(A) && defined(__HIP__)\n", None),
        ("#if A\n#elif defined(B)\n", ("-DB=1",)),
    ],
)
def test_one_macro_alone_is_chosen_otherwise(
    tmp_path: Path, head: str, words: tuple[str, ...] | None
) -> None:
    (tmp_path / "a.cu").write_text(f"{head}__global__ void k() {{}}\n#endif\n")
    command = CompileCommand(
        file="a.cu",
        directory=".",
        arguments=("-O2",),
        origin=FlagsOrigin.EXPORTED,
        dialect=Dialect.CUDA,
    )
    other = toggle_project_macros(
        command, UnitText(SourceFiles(tmp_path), ("a.cu",)), [("a.cu", len(head))]
    )
    assert (other.arguments if other else None) == (("-O2", *words) if words else None)


@pytest.mark.parametrize(
    "condition",
    ["#if defined(LIB_USE_CUDA)", "#if defined(LIB_USE_HIP) || \\\n  LIB_USE_CUDA"],
)
def test_the_switch_of_device_code_brings_that_of_its_language(
    tmp_path: Path, condition: str
) -> None:
    source = (
        f"{condition}\n"
        """using Item = void*;
#endif
int host;
#ifdef LIB_USE_GPU
__global__ void k(Item item, float* x) { x[0] = 1; }
#endif
"""
    )
    (kernel,) = extract(tmp_path, source).kernels
    assert kernel.reason == "seen with -DLIB_USE_GPU=1 -DLIB_USE_CUDA=1"
    assert kernel.closure is not None
    assert "using Item = void*" in "".join(kernel.closure.fragments)
