"""Programs that refuse their results otherwise than by an exit code, and what lies at odd addresses."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.own_program import KERNEL, MAIN, list_faults, observe

pytestmark = pytest.mark.apt
RIGHT = "values[n - 2] == n - 1"
WRONG = "values[n - 2] == n + 1"
PAIRS = """#include <cuda_runtime.h>
#include <stdio.h>
__global__ void copy_pairs(const float* from, float* to, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  float2 pair = reinterpret_cast<const float2*>(from)[i];
  pair.x += 1;
  reinterpret_cast<float2*>(to)[i] = pair;
}
int main() {
  float *from, *to, values[40] = {};
  cudaMalloc(&from, sizeof(values));
  cudaMalloc(&to, sizeof(values));
  cudaMemcpy(from, values, sizeof(values), cudaMemcpyHostToDevice);
  copy_pairs<<<1, 32>>>(from + 2, to, 16);
  cudaMemcpy(values, to, 32 * sizeof(float), cudaMemcpyDeviceToHost);
  printf("%g\\n", values[0]);
}
"""


def make_program(check: str) -> str:
    return (KERNEL + MAIN).replace("  return 0;", f"  {check}\n  return 0;")


def test_words_in_place_of_praise_refuse_results(tmp_path: Path) -> None:
    check = 'printf({} ? "Test passed\\n" : "Test failed!\\n");'

    assert not list_faults(observe(tmp_path, make_program(check.format(RIGHT))))
    assert list_faults(observe(tmp_path, make_program(check.format(WRONG)))) == [
        "own-check"
    ]


def test_an_exception_refuses_results_by_what_it_says(tmp_path: Path) -> None:
    check = 'if (!({})) throw std::runtime_error("the last value is wrong");'
    include = "#include <stdexcept>\n"

    right = include + make_program(check.format(RIGHT))
    assert not list_faults(observe(tmp_path, right))
    wrong = include + make_program(check.format(WRONG))
    assert list_faults(observe(tmp_path, wrong)) == ["own-check"]


def test_a_structure_that_is_copied_whole_has_to_be_aligned(tmp_path: Path) -> None:
    assert not list_faults(observe(tmp_path, PAIRS))
    assert list_faults(observe(tmp_path, PAIRS.replace("from + 2", "from + 3"))) == [
        "misaligned"
    ]
    assert list_faults(
        observe(tmp_path, PAIRS.replace(", to, 16", ", to + 1, 16"))
    ) == ["misaligned"]
