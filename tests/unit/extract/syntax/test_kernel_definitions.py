"""Kernel definitions by syntax: heads, bodies, and what no compiler reads."""

from __future__ import annotations

import pytest

from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import find_macros
from crawler.extract.syntax.kernel_definitions import (
    KernelDefinition,
    find_kernel_definitions,
)
from crawler.extract.syntax.macro_kernels import find_kernel_macros, find_macro_kernels


def source_of(text: str) -> SourceText:
    return SourceText("a.cu", text.encode())


def macro_kernels_of(text: str) -> list[KernelDefinition]:
    source = source_of(text)
    return list(find_macro_kernels(source, find_kernel_macros(find_macros(source))))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("__global__ void k(int* x) { }", ["k"]),
        (
            "template <class T>\n__global__ void __launch_bounds__(256) k(T x) { }",
            ["k"],
        ),
        ("template <> __global__ void k<float>(float x) { }", ["k"]),
        ("__global__ void\nBOUNDS(N, 2)\nk(int x) { }", ["k"]),
        ("template <> __global__ void BOUNDS(N) k<float>(float x) { }", ["k"]),
        ("__global__ void k(int x) BOUNDS(N) { }", ["k"]),
        ("__global__ void KERNEL(int x) BOUNDS(N) { }", ["KERNEL"]),
        ("__global__ void KERNEL(int x) __launch_bounds__(N) { }", ["KERNEL"]),
        ("__global__ void k(int* x);", []),
        ("#if 0\n__global__ void k() { }\n#endif", []),
        ("__global__ void\n#if A\nk(int x)\n#else\nk(long x)\n#endif\n{ }", ["k"]),
        ("struct A { static __global__ void k() { } };", ["k"]),
        ("// __global__ void k() { }", []),
        ("void f() { }", []),
    ],
)
def test_definitions_by_their_names(text: str, names: list[str]) -> None:
    definitions = find_kernel_definitions(source_of(text))
    assert [definition.name for definition in definitions] == names


def test_a_definition_with_its_ranges() -> None:
    definition_text = "template <class T> __global__ void k(T* x, int n) { x[n] = 1; }"
    text = f"int a;\n{definition_text}\nint b;"
    (definition,) = find_kernel_definitions(source_of(text))
    start, end = definition.parameter_range
    assert text[definition.start : definition.end] == definition_text
    assert text[definition.body_start] == "{"
    assert text[start:end] == "T* x, int n"


def test_a_projects_own_marker() -> None:
    text = "#define KERNEL(bounds) __global__\nKERNEL(256) void k(int* x) { }"
    markers = frozenset({"__global__", "KERNEL"})
    definitions = find_kernel_definitions(source_of(text), markers)
    assert [definition.name for definition in definitions] == ["k"]


def test_a_body_that_is_never_closed_reaches_to_the_end() -> None:
    text = "__global__ void k(int* x) { if (x) {"
    (definition,) = find_kernel_definitions(source_of(text))
    assert definition.end == len(text)


def test_a_kernel_that_a_macro_defines_whole() -> None:
    text = "#define DEFINE(T) __global__ void add_##T(T* x) { }\nint a; DEFINE(float)\nDEFINE(int)"
    definitions = macro_kernels_of(text)
    assert [definition.name for definition in definitions] == ["add_float", "add_int"]
    first = definitions[0]
    assert text[first.start : first.end] == "DEFINE(float)"


def test_a_kernel_whose_head_a_macro_makes() -> None:
    text = "#define HEAD(name) __global__ void name\nHEAD(add)(int* x) { x[0] = 1; }"
    (definition,) = macro_kernels_of(text)
    start, end = definition.parameter_range
    assert (definition.name, text[start:end]) == ("add", "int* x")
    assert text[definition.start : definition.end] == text.splitlines()[1]


@pytest.mark.parametrize(
    "text",
    [
        "#define KERNEL __global__ void\nKERNEL add(int* x) { }",
        "#define BOUNDS(n) __global__ __launch_bounds__(n)\nBOUNDS(4) void add() { }",
        "#define HEAD(name) __global__ void name\nHEAD(add)(int* x);",
        "#define HEAD(name) __global__ void name\nHEAD(1)(int* x) { }",
        "#define HEAD(name) __global__ void name\nHEAD(add",
    ],
)
def test_what_defines_no_named_kernel(text: str) -> None:
    assert macro_kernels_of(text) == []
