"""A kernel with launch bounds may call functions that are not inlined, as in a whole program."""

from __future__ import annotations

import pytest

from crawler.model import Dialect, Status
from crawler.toolchains import discovery
from crawler.validate.build import build_unit
from tests.small_units import make_small_unit

SOURCE = """#include <kernelset/cuda.cuh>
__device__ __attribute__((noinline)) float mix(float* x, int n) {
  float a[60], sum = 0;
#pragma unroll
  for (int i = 0; i < 60; i++) a[i] = x[i * n];
#pragma unroll
  for (int i = 0; i < 60; i++)
    for (int j = 0; j < 4; j++) sum += a[i] * a[(i * 7 + j) % 60];
#pragma unroll
  for (int i = 0; i < 60; i++) x[i] = a[i] * sum;
  return sum;
}
__global__ void __launch_bounds__(1024, 2) k(float* x, int n) {
  x[0] = mix(x + threadIdx.x, n);
}
"""


@pytest.mark.skipif(discovery.find_ptxas() is None, reason="no ptxas here")
@pytest.mark.parametrize("linkage", ["", "inline"])
def test_a_function_keeps_to_the_registers_of_its_kernel(linkage: str) -> None:
    unit = make_small_unit(
        SOURCE.replace("float mix", f"{linkage} float mix"), Dialect.CUDA
    )
    verdict = build_unit(unit, "sm_80").build.pass_call
    assert verdict.status is Status.PASS, verdict.message
