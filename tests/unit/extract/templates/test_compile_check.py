"""Of guessed instantiations those are kept that compile together."""

from __future__ import annotations

import pytest

from crawler.extract.templates.compile_check import select_compiling_instantiations
from crawler.model import Dialect
from tests.unit.extract.builders import make_closure, make_instantiation

pytestmark = pytest.mark.apt("clang-19")

KERNEL = "template <class T> __global__ void scale(T *x) { x[0] = x[0] * T(2); }"


def select(kernel: str, *types: str) -> list[str]:
    selected = select_compiling_instantiations(
        make_closure("struct Empty { };", kernel),
        Dialect.CUDA,
        "scale",
        [make_instantiation(type_name) for type_name in types],
        "c++17",
    )
    return [instantiation.arguments[0] for instantiation in selected]


def test_all_are_kept_where_all_compile() -> None:
    assert select(KERNEL, "float", "double") == ["float", "double"]


def test_what_does_not_compile_is_dropped() -> None:
    assert select(KERNEL, "float", "Empty", "int", "Unknown") == ["float", "int"]


def test_nothing_is_kept_of_a_kernel_that_is_wrong_itself() -> None:
    assert select(f"{KERNEL}\nUnknown y;", "float") == []


def test_nothing_is_kept_where_nothing_compiles() -> None:
    assert select(KERNEL, "Empty") == []


def test_what_calls_a_function_that_is_never_defined_is_dropped() -> None:
    helper = (
        "template <class T> __device__ T twice(T x);\n"
        "template <> __device__ int twice<int>(int x) { return x + x; }"
    )
    kernel = "template <class T> __global__ void scale(T *x) { x[0] = twice(x[0]); }"

    assert select(f"{helper}\n{kernel}", "float", "int") == ["int"]


def test_what_is_wrong_in_a_member_function_drops_what_it_is_wrong_for() -> None:
    holder = (
        "template <class K> struct Slots { K *s; "
        "__device__ void put(K v) { s[v] = v; } };"
    )
    kernel = "template <class T> __global__ void scale(T x) { x.put(1); }"

    types = ("Slots<float>", "Slots<int>")
    assert select(f"{holder}\n{kernel}", *types) == ["Slots<int>"]
