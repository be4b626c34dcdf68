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
