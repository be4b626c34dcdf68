"""Units are held against the code of the translation unit that they were cut from."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crawler.model import Fidelity, KernelUnit
from crawler.validate.build import build_unit
from crawler.validate.fidelity import whole_unit
from crawler.validate.fidelity.comparison import Comparison
from crawler.validate.fidelity.whole_unit import judge_units
from tests.unit.storage.samples import make_unit

pytestmark = pytest.mark.apt("clang-19")

HEAD = "#include <kernelset/cuda.cuh>\n"
HELPER = "__device__ __noinline__ float twice(float x) { return x + x; }\n"
KERNEL = "__global__ void scale(float *x) { x[0] = twice(x[0]); }\n"
OTHER = "__global__ void shift(float *x) { x[0] = twice(x[0]) + 1; }\n"
TEMPLATE = "template <class T> __global__ void fill(T *x) { x[0] = T(1); }\n"


def judge(source: str, whole_text: str, kernel_name: str = "scale") -> Comparison:
    unit: KernelUnit = replace(
        make_unit(""), source=source, instantiations=(), kernel_name=kernel_name
    )
    built = build_unit(unit, "sm_80")
    (comparison,) = judge_units([(unit, built)], whole_text, "sm_80")
    return comparison


def test_a_unit_of_the_same_text_is_identical() -> None:
    whole = f"{HEAD}struct Unused {{ }};\n{OTHER.replace('twice', '')}{HELPER}{KERNEL}"

    assert judge(HEAD + HELPER + KERNEL, whole).fidelity is Fidelity.IDENTICAL


def test_a_unit_that_took_another_helper_is_different() -> None:
    wrong = HELPER.replace("x + x", "x * x")

    comparison = judge(HEAD + wrong + KERNEL, HEAD + HELPER + KERNEL)
    assert comparison.fidelity is Fidelity.DIFFERENT
    assert "twice" in comparison.difference


def test_the_whole_is_instantiated_as_the_unit_is() -> None:
    line = "template __global__ decltype(fill<int>) fill<int>;\n"

    comparison = judge(HEAD + TEMPLATE + line, HEAD + TEMPLATE, "fill")
    assert comparison.fidelity is Fidelity.IDENTICAL


def test_a_whole_that_does_not_compile_says_why() -> None:
    comparison = judge(HEAD + HELPER + KERNEL, HEAD + KERNEL)

    assert comparison.fidelity is Fidelity.NOT_COMPARABLE
    assert "twice" in comparison.difference


def test_a_helper_that_is_inlined_in_one_alone_is_equivalent() -> None:
    # a function with one caller is inlined, however large it is
    body = "".join(f"  x = x * {n}.5f + sinf(x);\n" for n in range(40))
    helper = f"static __device__ float mix(float x) {{\n{body}  return x;\n}}\n"
    kernel = "__global__ void scale(float *x) { x[0] = mix(x[0]); }\n"
    other = "__global__ void shift(float *x) { x[0] = mix(x[1]) + mix(x[2]); }\n"

    comparison = judge(HEAD + helper + kernel, HEAD + helper + kernel + other)
    assert comparison.fidelity in (Fidelity.IDENTICAL, Fidelity.EQUIVALENT)
    assert comparison.difference in ("", "inlining or line numbers")


def test_a_variable_of_an_unnamed_namespace_that_only_the_host_reads_is_equivalent() -> (
    None
):
    body = "__device__ bool done;\n__global__ void mark() { done = true; }\n"

    comparison = judge(HEAD + body, f"{HEAD}namespace {{\n{body}}}\n", "mark")
    assert comparison.fidelity is Fidelity.EQUIVALENT


def test_a_unit_with_another_line_in_an_assertion_is_equivalent() -> None:
    kernel = KERNEL.replace("x[0] =", "assert(x); x[0] =")

    comparison = judge(HEAD + HELPER + kernel, HEAD + "\n\n" + HELPER + kernel)
    assert comparison == Comparison(Fidelity.EQUIVALENT, "inlining or line numbers")


def test_large_code_is_compared_before_it_is_optimised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(whole_unit, "_MAX_COMPARED_CODE_BYTES", 0)
    whole = HEAD + OTHER + HELPER + KERNEL

    comparison = judge(HEAD + HELPER + KERNEL, whole.replace(OTHER, ""))
    assert comparison == Comparison(Fidelity.EQUIVALENT, "compared before optimisation")


def test_large_code_that_took_another_helper_is_different(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(whole_unit, "_MAX_COMPARED_CODE_BYTES", 0)
    wrong = HELPER.replace("x + x", "x * x")

    comparison = judge(HEAD + wrong + KERNEL, HEAD + HELPER + KERNEL)
    assert comparison.fidelity is Fidelity.DIFFERENT
    assert "twice" in comparison.difference


def test_a_unit_without_ptx_is_not_comparable() -> None:
    comparison = judge(HEAD + "wrong", HEAD + KERNEL)

    assert comparison.fidelity is Fidelity.NOT_COMPARABLE
