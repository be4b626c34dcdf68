"""Cases are drawn until they take every branch that they can, and their tolerance is what
rounding costs.
"""

from __future__ import annotations

import pytest

from crawler.model import (
    Behaviour,
    Instantiation,
    Launch,
)
from crawler.validate.cpu.result import CpuValidation
from crawler.validate.cpu.validation import validate_on_cpu
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.strength.branch_coverage import measure_coverage
from crawler.validate.strength.equivalent_mutants import find_equivalent_mutants
from crawler.validate.strength.mutation_sites import find_changes
from tests.plain import HERE, plain_kernel, plain_unit

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/cuda.cuh>
template <class T>
__global__ void k(const T* a, const T* weight, T* out, int n, int rows, int ratio) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.y * 1 + 0 >= rows) return;
  if (i >= n) return;
  T sum = 0;
  for (int at = 0; at < 40; ++at) sum += a[(i + at) % n] * T(1.37);
  if (weight != nullptr) sum *= weight[i];
  if (a[i] < -1) sum = 0;
  out[blockIdx.y * n + i] = ratio > 0 ? sum : sum + 1;
}
template __global__ decltype(k<float>) k<float>;
"""
NAMES = (
    ("a", "const T *"),
    ("weight", "const T *"),
    ("out", "T *"),
    ("n", "int"),
    ("rows", "int"),
    ("ratio", "int"),
)
UNIT = plain_unit(SOURCE, Instantiation(arguments=("float",), label="float"))
KERNEL = plain_kernel(
    UNIT,
    NAMES,
    launches=(
        Launch(
            span=HERE,
            kernel_name="k",
            grid="dim3((n + 63) / 64, rows)",
            block="64",
            argument_map=(("n", "n"), ("rows", "rows"), ("ratio", "ratio")),
            setup="int rows = a.size(0), n = a.size(1);",
        ),
    ),
)


@pytest.fixture(scope="module")
def validation() -> CpuValidation:
    return validate_on_cpu(KERNEL)


def test_cases_take_the_branches_of_null_pointers_bounds_contents_and_grids(
    validation: CpuValidation,
) -> None:
    assert validation.suite is not None
    coverage = measure_coverage(
        build_cpu_program(UNIT, BuildOptions(count_branches=True)),
        validation.suite.cases,
        validation.blobs,
    )
    assert coverage is not None
    assert len(coverage.branch_lines) == 12
    assert coverage.unreached_lines == ()


def test_the_tolerance_of_a_template_is_what_its_scalar_type_loses_to_double(
    validation: CpuValidation,
) -> None:
    assert validation.run.behaviour is Behaviour.DETERMINISTIC
    assert validation.suite is not None
    ordinary = validation.suite.cases[0]
    (out,) = [buffer for buffer in ordinary.buffers if buffer.name == "out"]
    # forty sums of single precision are off by more than sixteen roundings of the result
    assert 1e-7 < out.absolute < 1e-3


def test_a_change_that_leaves_the_machine_code_as_it_is_is_no_mutant() -> None:
    changes = dict(enumerate(find_changes(SOURCE)))
    near = {
        number: change
        for number, change in changes.items()
        if change.line == 5 and change.kind == "arithmetic"
    }
    same = [near[number].text for number in sorted(find_equivalent_mutants(UNIT, near))]
    assert same == ["(blockIdx.y * 1) - (0)"]
