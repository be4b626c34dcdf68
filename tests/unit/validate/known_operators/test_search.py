"""What is hostile, ambiguous or partly right neither passes nor breaks the search."""

from __future__ import annotations

import math
import random
import time
from dataclasses import replace
from typing import Any

import pytest

from crawler.model import Case, CaseArgument, CaseKind
from crawler.validate.oracles.known_operator import PLUGIN
from tests.operator_cases import LENGTHS, PythonKernel, draw, is_known, reals

ADD = (("a", "const float*"), ("b", "const float*"), ("c", "float*"), ("n", "int"))


def add(a: list[float], b: list[float], c: list[float], n: int) -> None:
    c[:n] = [a[i] + b[i] for i in range(n)]


def make_add(change: dict[str, Any] | None = None) -> PythonKernel:
    def make(numbers: Any, n: int) -> dict[str, Any]:
        values = {"a": reals(numbers, n), "b": reals(numbers, n), "c": [None] * n}
        return {**values, **(change or {})}

    return PythonKernel("vec_add", ADD, add, draw(LENGTHS, make))


def test_a_case_that_differs_is_told_and_decides_nothing() -> None:
    def add_up_to(a: Any, b: Any, c: Any, n: int) -> None:
        add(a, b, c, min(n, 96))

    agreement = replace(make_add(), body=add_up_to).ask()
    assert agreement is not None
    assert not agreement.is_conclusive
    assert agreement.differing_cases == ("extra-1",)
    assert len(agreement.agreeing_cases) == 4
    assert "numpy.add" in agreement.implementation


@pytest.mark.parametrize(
    "kind", [CaseKind.SPECIAL, CaseKind.FEW_BLOCKS, CaseKind.ONE_WARP]
)
def test_cases_that_leave_work_undone_say_nothing(kind: CaseKind) -> None:
    assert is_known(make_add())
    assert make_add().ask(kind=kind) is None


def test_too_few_cases_are_none() -> None:
    kernel = make_add()
    assert replace(kernel, cases=kernel.cases[:2]).ask() is None
    # a single number in each is no evidence
    single = tuple(
        {"n": 1, "a": [value], "b": [0.5], "c": [None]} for value in (1.0, 2.0, 3.0)
    )
    assert not is_known(replace(kernel, cases=single))


def test_nobody_asks_about_a_name_without_meaning() -> None:
    assert replace(make_add(), name="kernel0").ask() is None
    assert replace(make_add(), name="").ask() is None


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 3e38])
def test_values_that_are_no_numbers_do_not_pass_and_do_not_break(value: float) -> None:
    def fill(a: Any, b: Any, c: Any, n: int) -> None:
        c[:n] = [value] * n

    kernel = make_add()
    cases = tuple(
        {**values, "a": [value] * len(values["a"])} for values in kernel.cases
    )
    assert not is_known(replace(kernel, body=fill, cases=cases))


@pytest.mark.parametrize("size", [2**31 - 1, -1, -(2**31), 0])
def test_sizes_of_any_kind_end_soon(size: int) -> None:
    kernel = make_add()
    built, suite, blobs = kernel.build()
    assert built.unit is not None

    def resize(case: Case) -> Case:
        content = size.to_bytes(4, "little", signed=True).hex()
        *other_arguments, _ = case.arguments
        return replace(
            case, arguments=(*other_arguments, CaseArgument(name="n", content=content))
        )

    hostile = replace(suite, cases=tuple(map(resize, suite.cases)))
    agreement = PLUGIN.find_agreement(built, built.unit, hostile, blobs, lambda _: None)
    assert agreement is None or not agreement.is_conclusive


def test_a_kernel_of_many_numbers_ends_soon() -> None:
    names = [f"size_{number}" for number in range(30)]
    parameters = (
        *((f"x{number}", "const float*") for number in range(6)),
        ("y", "float*"),
        *((name, "int") for name in names),
    )

    def body(y: list[float], **_: Any) -> None:
        y[:] = [0.25] * len(y)

    numbers = random.Random(1)
    cases = tuple(
        {
            **{f"x{number}": reals(numbers, size) for number in range(6)},
            **dict.fromkeys(names, 7),
            "y": [None] * size,
        }
        for size in (2000, 2100, 2200)
    )
    name = "gemm_softmax_layernorm_conv2d_scatter_add_batchnorm_cross_entropy"
    begin = time.monotonic()
    assert not is_known(PythonKernel(name, parameters, body, cases))
    assert time.monotonic() - begin < 20
