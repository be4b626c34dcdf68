"""Device functions that are known within their own source only."""

from __future__ import annotations

import pytest

from crawler.cpp.lexer import join_tokens, tokenize
from crawler.validate.emulator.source.internal_functions import (
    INTERNAL,
    drop_internal,
    keep_functions_internal,
)


def translate(text: str) -> str:
    return join_tokens(keep_functions_internal(list(tokenize(text))))


@pytest.mark.parametrize(
    "text",
    [
        "__device__ inline float area(Box box) { return box.x; }",
        "inline __device__ float area(Box box);",
        "template <class T> __device__ T area(T x) { return x; }",
        "struct Box { float x; __device__ Box() {} };",
        "int a; __device__ int counter;",
    ],
)
def test_what_is_a_device_s_alone_is_internal(text: str) -> None:
    assert translate(text) == text.replace("__device__", INTERNAL)


@pytest.mark.parametrize(
    "text",
    [
        "__host__ __device__ float area(Box box);",
        "__device__ inline __host__ float area(Box box);",
        "extern __device__ int counter;",
        'extern "C" __device__ int area(int x);',
        "typedef __device__ float (*Area)(float);",
        "auto f = [=] __device__ (int i) { return i; };",
        "struct __device__ Box { float x; };",
        "__global__ void fill(float* x) {}",
    ],
)
def test_what_others_may_call_or_what_declares_nothing_stays(text: str) -> None:
    assert translate(text) == text


def test_a_word_that_is_said_twice_counts_once() -> None:
    text = "__device__ inline __device__ int area(int x);"

    assert translate(text) == text.replace("__device__", INTERNAL, 1)


def test_the_word_can_be_dropped_again() -> None:
    text = f"{INTERNAL} int area(int x);"

    assert drop_internal(text) == " int area(int x);"
