"""Kernels that a project's own program launches: what it shows is part of their verdicts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.acceptance.conftest import Kernelset

pytestmark = pytest.mark.apt
KERNELS = """
#include <cuda_runtime.h>
__global__ void stretch(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
__global__ void next(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i + 1];
}
void run(const float* x, float* y, int n) {
  stretch<<<(n + 63) / 64, 64>>>(x, y, n);
  next<<<(n + 63) / 64, 64>>>(x, y, n);
}
"""
MAIN = """
#include <cuda_runtime.h>
#include <stdlib.h>
void run(const float* x, float* y, int n);
int main(int count, char** words) {
  const int n = atoi(words[1]);
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  run(x, y, n);
  return 0;
}
"""


def test_a_kernel_fails_by_what_it_does_in_its_own_program(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "kernels.cu").write_text(KERNELS)
    (project / "main.cu").write_text(MAIN)
    (project / "Makefile").write_text(
        "main: main.cu kernels.cu\n\tnvcc $^ -o $@\nrun: main\n\t./main 1000\n"
    )

    kernelset.run("crawl", str(project), "--device", "cpu")

    outputs = {
        name: kernelset.run("show", name).stdout.replace("\n", " ")
        for name in ("stretch", "next")
    }
    assert "consistent" in outputs["stretch"]
    assert "main.cu launches it 1 times without a fault" in outputs["stretch"]
    assert "fail out-of-bounds: in the project's own program main.cu" in outputs["next"]
    assert "allocation of 4000" in outputs["next"]
