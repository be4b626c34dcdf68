"""Redefinitions of a macro stand behind the declarations that mean the earlier text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import find_macros
from crawler.extract.closure.macros.macro_redefinitions import find_redefinitions
from crawler.validate.build import build_unit

SOURCE = """#define FACTOR 2
__device__ int twice(int n) { return n * FACTOR; }
#undef FACTOR
#define FACTOR 3
__device__ int thrice(int n) { return n * FACTOR; }
__global__ void k(int *x) { x[0] = twice(1) + thrice(1); }
void run(int *x) { k<<<1, 1>>>(x); }
"""


def list_redefinitions(text: str) -> list[str]:
    macros = find_macros(SourceText("a.cu", text.encode()))
    return [macro.text for macro in find_redefinitions(macros)]


def test_another_text_is_a_redefinition_and_the_same_one_is_none() -> None:
    text = "#define A 1\n#define B 1\n#define A 1\n#define A 2\n#define A 1\n"
    assert list_redefinitions(text) == ["#define A 2", "#define A 1"]


@pytest.mark.apt("clang-19")
def test_each_declaration_means_the_text_of_its_place(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"a.cu": SOURCE}).kernels()
    source = kernel.unit.source
    places = [
        source.index(text)
        for text in (
            "#define FACTOR 2",
            "int twice",
            "#undef FACTOR\n#define FACTOR 3",
            "int thrice",
        )
    ]
    assert places == sorted(places)
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""


SHADOWED = """template <int LMAX, class T> __device__ T up_to(T x) { return x < LMAX ? x : T(LMAX); }
struct Level { int depth; __device__ int above(int depth) const { return depth + 1; } };
#define LMAX 5
#define depth 7
#define PLAIN 2
__global__ void k(int *x, Level level) { x[0] = up_to<LMAX>(PLAIN) + level.above(depth); }
void run(int *x, Level level) { k<<<1, 1>>>(x, level); }
"""


@pytest.mark.apt("clang-19")
def test_a_name_is_what_it_was_before_a_macro_took_it(
    project: Callable[..., Any],
) -> None:
    (kernel,) = project({"a.cu": SHADOWED}).kernels()
    source = kernel.unit.source

    assert source.index("#define PLAIN 2") < source.index("T up_to(T x)")
    assert source.index("T up_to(T x)") < source.index("#define LMAX 5")
    assert source.index("struct Level") < source.index("#define depth 7")
    assert source.index("#define depth 7") < source.index("void k(")
    assert build_unit(kernel.unit, "sm_80").build.pass_call.message == ""
