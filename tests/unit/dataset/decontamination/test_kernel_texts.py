"""Kernels are cut out of texts that nobody compiles, with the types of their parameters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.dataset.decontamination.kernel_texts import KernelText, iter_kernel_texts


def cut(text: str) -> list[KernelText]:
    return list(iter_kernel_texts(text))


@pytest.mark.parametrize(
    ("parameters", "types"),
    [
        ("", []),
        ("float *x", ["float *"]),
        ("const float* __restrict__ x, int n", ["float *", "int"]),
        ("float *, int", ["float *", "int"]),
        ("std::array<int, 3> a, float b", ["std :: array < int , 3 >", "float"]),
        ("Pair<int, Pair<int, int>> p", ["Pair < int , Pair < int , int > >"]),
        ("float (&tile)[4], int n", None),
        ("unsigned int n, unsigned m", ["unsigned int", "unsigned"]),
        ("int a /* first */, int b // second\n", ["int", "int"]),
        ("__grid_constant__ const Params p", ["Params"]),
    ],
)
def test_types_are_those_of_parameters_without_names_and_qualifiers(
    parameters: str, types: list[str] | None
) -> None:
    (kernel,) = cut(f"__global__ void k({parameters}) {{ }}")
    name, *found_types = kernel.signature
    assert name == "k"
    if types is None:
        assert len(found_types) == 2
    else:
        assert [text.replace(" ", "") for text in found_types] == [
            text.replace(" ", "") for text in types
        ]


def test_a_kernel_is_cut_out_whole_and_nothing_else() -> None:
    kernel_text = (
        "template <typename T>\n__global__ void __launch_bounds__(256)\n"
        "scale(T *x, int n) {\n  if (n) { x[0] *= 2; }\n}"
    )
    text = (
        f"Write this:\n```cuda\n#include <a.h>\n{kernel_text}\nint main() {{}}\n```\n"
    )
    (kernel,) = cut(text)
    assert kernel.name == "scale"
    assert kernel.text == kernel_text


def test_several_kernels_of_a_text_come_in_order() -> None:
    text = "\n".join(f"__global__ void k{number}() {{}}" for number in range(4))
    assert [kernel.name for kernel in cut(text)] == ["k0", "k1", "k2", "k3"]


def test_a_declaration_is_no_kernel() -> None:
    assert cut("__global__ void k(float *x);") == []
    assert cut("// __global__ void k() {}\n") == []


def test_characters_beyond_ascii_stay_what_they_are() -> None:
    (kernel,) = cut("// é ü\n__global__ void k() { /* λ ∑ */ }")
    assert kernel.text == "__global__ void k() { /* λ ∑ */ }"


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_text_around_a_kernel_is_read(before: str, after: str) -> None:
    text = f"{before}\n__global__ void k(int n) {{}}\n{after}"
    for kernel in cut(text):
        assert kernel.text in text
        assert kernel.signature[0] == kernel.name


@given(
    st.lists(
        st.sampled_from(
            [
                "__global__",
                "void",
                "k",
                "(",
                ")",
                "{",
                "}",
                "<",
                ">",
                ",",
                "int",
                "*",
                "//",
                "/*",
                "*/",
                '"',
                "'",
                "\n",
            ]
        ),
        max_size=30,
    )
)
def test_any_words_are_read_or_passed_over(words: list[str]) -> None:
    text = " ".join(words)
    for kernel in cut(text):
        assert kernel.text in text
