"""Kernels take cuFFT's numbers, and launchers call it beside them, in both dialects."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import Dialect
from crawler.port.port import port_text
from tests.integration.headers.header_errors import list_errors

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/cuda.cuh>
#include <cufft.h>
__global__ void scale(cufftComplex *x, cufftDoubleComplex *z, cufftReal factor) {
  x[threadIdx.x].x *= factor;
  z[threadIdx.x].y *= static_cast<cufftDoubleReal>(factor);
}
bool run(cufftComplex *x, cufftDoubleComplex *z, int n, cudaStream_t stream) {
  cufftHandle plan;
  if (cufftPlan1d(&plan, n, CUFFT_C2C, 1) != CUFFT_SUCCESS) return false;
  const cufftResult result = cufftSetStream(plan, stream);
  if (result == CUFFT_SUCCESS) cufftExecC2C(plan, x, x, CUFFT_INVERSE);
  scale<<<1, n, 0, stream>>>(x, z, 1.0f / n);
  return cufftDestroy(plan) == CUFFT_SUCCESS;
}
"""
# host code that does without CUDA's headers says what a stream is
FORWARD = """
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
"""


@pytest.mark.parametrize("dialect", list(Dialect))
def test_transforms_and_their_numbers_compile(dialect: Dialect, tmp_path: Path) -> None:
    text = SOURCE + FORWARD
    ported = port_text(text)[0].replace("kernelset/cuda.cuh", "kernelset/hip.h")
    errors = list_errors(text if dialect is Dialect.CUDA else ported, dialect, tmp_path)
    assert errors == []
