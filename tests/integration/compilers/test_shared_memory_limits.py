"""A kernel may declare 48 KiB of shared memory, and get more only where its launch asks for it."""

from __future__ import annotations

import pytest

from crawler.model import Dialect, Status
from crawler.toolchains import discovery
from crawler.validate.build import build_unit
from tests.small_units import make_small_unit

SOURCE = """#include <kernelset/cuda.cuh>
__global__ void k(float* x) {
  DECLARATION
  values[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = values[threadIdx.x + 1];
}
"""


@pytest.mark.skipif(discovery.find_ptxas() is None, reason="no ptxas here")
@pytest.mark.parametrize(
    ("declaration", "status"),
    [
        ("__shared__ float values[12288];", Status.PASS),
        ("__shared__ float values[12289];", Status.FAIL),
        ("extern __shared__ float values[];", Status.PASS),
    ],
)
def test_what_is_declared_has_room(declaration: str, status: Status) -> None:
    unit = make_small_unit(SOURCE.replace("DECLARATION", declaration), Dialect.CUDA)
    verdict = build_unit(unit, "sm_80").build.pass_call
    assert verdict.status is status, verdict.message
    assert ("shared memory" in verdict.message) == (status is Status.FAIL)
