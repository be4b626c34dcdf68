"""A kernel is held to another one of its project that takes the same and is written otherwise."""

from __future__ import annotations

from functools import cache

import pytest

from crawler.model import Kernel, Oracle, Status
from crawler.validate.cpu.oracle_and_strength import assess_suite
from crawler.validate.cpu.result import CpuValidation
from crawler.validate.cpu.validation import validate_on_cpu
from tests.plain import plain_kernel, plain_unit

pytestmark = pytest.mark.apt
PARAMETERS = (("x", "const float*"), ("y", "float*"), ("rows", "int"), ("width", "int"))
PLAIN = """
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < width; ++i) sum += x[row * width + i] * x[row * width + i];
  y[row] = sum;
"""
BACKWARD = """
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += gridDim.x * blockDim.x) {
    const float* from = x + row * width;
    float even = 0, odd = 0;
    for (int i = width - 1; i >= 0; --i) (i & 1 ? odd : even) += from[i] * from[i];
    y[row] = even + odd;
  }
"""


def make(name: str, body: str) -> Kernel:
    head = f"__global__ void {name}(const float* x, float* y, int rows, int width)"
    source = f"#include <kernelset/cuda.cuh>\n{head} {{{body}}}\n"
    return plain_kernel(plain_unit(source, kernel_name=name), PARAMETERS, name=name)


@cache
def validate() -> CpuValidation:
    return validate_on_cpu(make("energy", PLAIN))


def assess(*versions: Kernel) -> CpuValidation:
    return assess_suite(
        make("energy", PLAIN), validate(), measures_strength=False, versions=versions
    )


def test_a_version_that_gives_every_case_speaks_for_the_kernel() -> None:
    assessed = assess(make("energy_backward", BACKWARD))

    assert assessed.run.pass_exe.status is Status.PASS
    assert assessed.run.oracle is Oracle.PROJECT_VERSION
    assert (
        "`energy_backward` in a.cu gives the same in" in assessed.run.pass_exe.message
    )


@pytest.mark.parametrize(
    "body",
    [
        BACKWARD.replace("even + odd", "even - odd"),
        BACKWARD.replace("y[row] =", "float unused ="),
        BACKWARD.replace("width - 1", "1000000000"),
        "this is no C++",
    ],
    ids=["something-else", "nothing", "a-fault", "no-code"],
)
def test_nothing_follows_from_one_that_does_something_else(body: str) -> None:
    assessed = assess(make("other", body))

    assert assessed.run.pass_exe.status is Status.CONSISTENT
    assert assessed.run.oracle is Oracle.CPU_SIMT


def test_the_first_that_agrees_is_enough() -> None:
    wrong = make("other", BACKWARD.replace("even + odd", "even - odd"))

    assessed = assess(wrong, make("energy_backward", BACKWARD))

    assert assessed.run.pass_exe.status is Status.PASS
