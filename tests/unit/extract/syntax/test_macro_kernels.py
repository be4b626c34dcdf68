"""Kernels that macros head or define are known by the names that their uses make."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.cpp.files.source_text import SourceText
from crawler.cpp.preprocessor.macros import find_macros
from crawler.extract.syntax.macro_kernels import (
    KernelMacro,
    find_kernel_macros,
    find_macro_kernels,
)

HEAD = "#define HEAD(name) __global__ void name\n"
PIECES = ["HEAD", "(", ")", "{", "}", ";", ",", "add", "<", ">", "int", "#define"]


def macros_of(text: str) -> dict[str, KernelMacro]:
    return find_kernel_macros(find_macros(SourceText("a.cu", text.encode())))


def kernels_of(text: str) -> list[tuple[str, str]]:
    """Return the name and the text of each kernel that a macro's use makes."""
    source = SourceText("a.cu", text.encode())
    kernel_macros = find_kernel_macros(find_macros(source))
    definitions = find_macro_kernels(source, kernel_macros)
    return [(kernel.name, text[kernel.start : kernel.end]) for kernel in definitions]


@pytest.mark.parametrize(
    ("definition", "name_parts", "has_body"),
    [
        ("__global__ void name", ("name",), False),
        ("__global__ void name##_kernel(int *x) {}", ("name", "_kernel"), True),
        ("__global__ void pre_##name##_post", ("pre_", "name", "_post"), False),
        ("__global__ void __launch_bounds__(256) name(int *x) {}", ("name",), True),
        ("__global__ __launch_bounds__(256) void name", ("name",), False),
        ('extern "C" __global__ void name', ("name",), False),
        ("template <class T> __global__ void name(T *x) {}", ("name",), True),
        ("void before(); __global__ void name(int *x) {}", ("name",), True),
    ],
)
def test_the_name_of_a_kernel_in_a_macro(
    definition: str, name_parts: tuple[str, ...], has_body: bool
) -> None:
    macro = macros_of(f"#define HEAD(name) {definition}\n")["HEAD"]
    assert macro.parameters == ("name",)
    assert (macro.name_parts, macro.has_body) == (name_parts, has_body)


@pytest.mark.parametrize(
    "definition",
    [
        "#define KERNEL __global__ void",
        "#define KERNEL(bounds) __global__ __launch_bounds__(bounds)",
        "#define KERNEL(x) __global__ static void",
        '#define KERNEL(x) "__global__"',
        "#define KERNEL(x) __global__",
    ],
)
def test_a_macro_that_names_nothing_is_only_a_marker(definition: str) -> None:
    assert macros_of(f"{definition}\n") == {}


def test_the_last_definition_of_a_name_counts() -> None:
    text = f"{HEAD}#undef HEAD\n#define HEAD(a, name) __global__ void name##_k\n"
    assert macros_of(text)["HEAD"].parameters == ("a", "name")


def test_a_head_takes_the_body_behind_it() -> None:
    text = HEAD + "HEAD(add)(int *x) { if (*x) { *x = 1; } } int after;"
    assert kernels_of(text) == [
        ("add", "HEAD(add)(int *x) { if (*x) { *x = 1; } }"),
    ]


def test_a_template_head_in_front_of_the_use_belongs_to_it() -> None:
    text = HEAD + "int before;\ntemplate <class T> HEAD(add)(T *x) { }"
    assert kernels_of(text) == [("add", "template <class T> HEAD(add)(T *x) { }")]


def test_a_use_in_another_macro_is_no_kernel_yet() -> None:
    assert kernels_of(HEAD + "#define ADD HEAD(add)(int *x) { }\n") == []


def test_a_macro_without_its_list_is_no_use() -> None:
    assert kernels_of(HEAD + "int HEAD; HEAD") == []


def test_names_are_pasted_from_several_arguments() -> None:
    text = (
        "#define DEFINE(op, T) __global__ void op##_##T##_kernel(T *x) { }\n"
        "DEFINE(add, float)\nDEFINE(mul, int)\n"
    )
    assert [name for name, _ in kernels_of(text)] == [
        "add_float_kernel",
        "mul_int_kernel",
    ]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join))
def test_uses_in_any_text_end_in_it(text: str) -> None:
    whole = HEAD + text
    for name, definition in kernels_of(whole):
        assert name.isidentifier()
        assert "HEAD" in definition
