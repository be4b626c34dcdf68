"""Threads that meet for what real numbers they are given, in kernels that nothing launches."""

from __future__ import annotations

import pytest

from crawler.model import Verdict
from crawler.validate.cpu.validation import validate_on_cpu
from tests.plain import plain_kernel, plain_unit

pytestmark = pytest.mark.apt
KERNEL = """__global__ void k(const float *x, int *below, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] < 0.f) STATEMENT;
}
"""
PARAMETERS = (("x", "const float *"), ("below", "int *"), ("n", "int"))


def judge(statement: str) -> Verdict:
    kernel = KERNEL.replace("STATEMENT", statement)
    unit = plain_unit(f"#include <kernelset/cuda.cuh>\n{kernel}")
    validated = validate_on_cpu(plain_kernel(unit, PARAMETERS, source=kernel))
    return validated.run.pass_exe


def test_numbers_below_zero_may_come_twice_whatever_a_search_ends_with() -> None:
    verdict = judge("below[i / 32] += 1")
    assert (str(verdict.status), verdict.code) == ("fail", "race")


@pytest.mark.parametrize("statement", ["atomicAdd(&below[i / 32], 1)", "below[i] = 1"])
def test_who_expects_them_is_not_blamed(statement: str) -> None:
    assert str(judge(statement).status) != "fail"
