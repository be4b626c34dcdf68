"""A kernel that seldom tells anything is given more of what did; one that never can stays
trivial.
"""

from __future__ import annotations

from typing import Any

import pytest

from crawler.model import Behaviour, Instantiation
from crawler.validate.behaviour.variants import run_variants
from crawler.validate.cpu.suite import WANTED_CASES
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.emulator.cpu_budget import CpuBudgetExceeded
from crawler.validate.emulator.execution_report import Outcome
from tests.plain import plain_kernel, plain_unit

pytestmark = pytest.mark.apt
COUNTED = """#include <kernelset/cuda.cuh>
template <class T>
__global__ void k(const T* x, const T* y, int* out, int n) {
  if (threadIdx.x) return;
  int same = 0;
  for (int i = 0; i < n && i < 12; ++i) same += x[i] == y[i];
  out[0] = n % 8 == 3 ? same : 1;
}
template __global__ decltype(k<int>) k<int>;
"""
NAMES = (("x", "const T *"), ("y", "const T *"), ("out", "int *"), ("n", "int"))
CONSTANT = COUNTED.replace("same : 1", "1 : 1")


def test_a_kernel_of_which_few_cases_tell_anything_is_given_more_of_those() -> None:
    unit = plain_unit(COUNTED, Instantiation(arguments=("int",), label="int"))
    tried = validate_on_cpu(plain_kernel(unit, NAMES))
    assert tried.run.behaviour is Behaviour.DETERMINISTIC
    assert tried.run.cases >= WANTED_CASES
    assert tried.suite is not None
    added = [case for case in tried.suite.cases if case.name.startswith("telling-")]
    assert added, "without them it has too few"
    assert tried.run.cases - len(added) < WANTED_CASES
    assert len(
        {(case.grid, case.arguments, case.buffers) for case in tried.suite.cases}
    ) == len(tried.suite.cases)


def test_what_is_known_of_a_kernel_stays_so_whatever_its_further_cases_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def spent(unit: Any, plain: Any, layout: Any, made: Any, *others: Any) -> Any:
        if made[0].name.startswith("telling-"):
            raise CpuBudgetExceeded(Outcome.TIMEOUT)
        return run_variants(unit, plain, layout, made, *others)

    monkeypatch.setattr("crawler.validate.cpu.cases.case_runs.run_variants", spent)
    tried = validate_on_cpu(
        plain_kernel(
            plain_unit(COUNTED, Instantiation(arguments=("int",), label="int")), NAMES
        )
    )
    assert (tried.run.behaviour, tried.run.pass_exe.code) == (
        Behaviour.TRIVIAL,
        "trivial-output",
    )


def test_a_kernel_that_never_ends_says_which_instantiation_was_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("crawler.validate.cpu.validation.MAX_ENDLESS_SECONDS", 0.1)
    endless = COUNTED.replace("if (threadIdx.x) return;", 'while (n) asm volatile("");')
    unit = plain_unit(endless, Instantiation(arguments=("int",), label="int"))
    run = validate_on_cpu(plain_kernel(unit, NAMES)).run
    assert (run.behaviour, run.pass_exe.code) == (Behaviour.TIMEOUT, "timeout")
    assert run.instantiation == "int"


def test_a_kernel_whose_outputs_depend_on_nothing_is_trivial_whatever_is_drawn() -> (
    None
):
    unit = plain_unit(CONSTANT, Instantiation(arguments=("int",), label="int"))
    tried = validate_on_cpu(plain_kernel(unit, NAMES))
    assert (tried.run.behaviour, tried.run.pass_exe.code) == (
        Behaviour.TRIVIAL,
        "trivial-output",
    )


SECOND_TELLS = """#include <kernelset/cuda.cuh>
template <int Way>
__global__ void k(const int* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = Way ? 2 * x[i] : 1;
}
template __global__ decltype(k<0>) k<0>;
template __global__ decltype(k<1>) k<1>;
"""
OF_WAYS = (("x", "const int *"), ("out", "int *"), ("n", "int"))
WAYS = [Instantiation(arguments=(way,), label=way) for way in ("0", "1")]


def test_another_instantiation_is_run_where_the_first_tells_nothing() -> None:
    run = validate_on_cpu(plain_kernel(plain_unit(SECOND_TELLS, *WAYS), OF_WAYS)).run
    assert (run.behaviour, run.instantiation) == (Behaviour.DETERMINISTIC, "1")


def test_no_other_instantiation_is_run_after_one_that_took_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("crawler.validate.cpu.validation.MAX_RETRIED_SECONDS", 0.0)
    tried = validate_on_cpu(plain_kernel(plain_unit(SECOND_TELLS, *WAYS), OF_WAYS))
    assert tried.run.behaviour is Behaviour.TRIVIAL
    assert not tried.tried


WIDE = """#include <kernelset/cuda.cuh>
__global__ void k(const float* x, float* out, int n, bool wide) {
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  out[at] = 2 * x[at];
  if (wide) out[at + 1] = x[at];
}
"""
OF_WIDE = (("x", "const float *"), ("out", "float *"), ("n", "int"), ("wide", "bool"))


def test_a_flag_with_which_threads_write_upon_each_other_is_tried_the_other_way_round() -> (
    None
):
    tried = validate_on_cpu(plain_kernel(plain_unit(WIDE), OF_WIDE))
    assert tried.run.behaviour is Behaviour.DETERMINISTIC
    assert tried.run.cases >= WANTED_CASES
