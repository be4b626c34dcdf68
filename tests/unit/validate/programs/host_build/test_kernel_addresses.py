"""Addresses of kernels that a program keeps without their types."""

from __future__ import annotations

import pytest

from crawler.cpp.lexer import join_tokens, tokenize
from crawler.validate.programs.host_build.kernel_addresses import (
    keep_kernel_types,
    list_kernel_names,
)


def test_kernels_are_known_by_their_names() -> None:
    text = (
        "template <class T> __global__ void scale(T* x);\n"
        "__global__ void __launch_bounds__(256, 2) shift(int n) {}\n"
        "__global__ static void __attribute__((noinline)) turn() {}\n"
        "void host(int n); __global__ int;"
    )

    assert list(list_kernel_names(list(tokenize(text)))) == ["scale", "shift", "turn"]


@pytest.mark.parametrize("cast", ["(void*)", "(void *) ", "(const void*)"])
def test_a_kernel_s_address_keeps_its_type(cast: str) -> None:
    tokens = list(tokenize(f"s = {{{cast}scale<T, 4>, 1}};"))

    text = join_tokens(keep_kernel_types(tokens, {"scale"}))

    assert "(::kernelset::KernelAddress)" in text
    assert text.replace("(::kernelset::KernelAddress)", "") == join_tokens(tokens)


@pytest.mark.parametrize("text", ["(void*)x", "(char*)scale", "f(scale)", "scale"])
def test_other_expressions_stay_as_they_are(text: str) -> None:
    assert join_tokens(keep_kernel_types(list(tokenize(text)), {"scale"})) == text
