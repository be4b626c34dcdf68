"""What a project has in CUDA and in HIP is exported as a pair with its own author's port."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.acceptance.conftest import Kernelset

pytestmark = [pytest.mark.apt("bwrap"), pytest.mark.slow]
CUDA = """\
#include <cuda_runtime.h>
#include <cstdio>
// One sum a warp.
__global__ void warp_sum(const float* in, float* out) {
  float sum = in[blockIdx.x * 32 + threadIdx.x];
  for (int step = 16; step; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
__global__ void fill(float* out, float value) { out[threadIdx.x] = value; }
int main() {
  float *in, *out;
  cudaMalloc(&in, 4096);
  cudaMalloc(&out, 128);
  fill<<<1, 1024>>>(in, 1);
  warp_sum<<<32, 32>>>(in, out);
  return cudaDeviceSynchronize();
}
"""
HIP = """\
#include <hip/hip_runtime.h>
#include <cstdio>
// One sum a wave, of 32 or 64 lanes.
__global__ void warp_sum(const float* in, float* out) {
  float sum = in[blockIdx.x * 32 + threadIdx.x];
  for (int step = 16; step; step /= 2) sum += __shfl_down(sum, step, 32);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
int main() {
  float *in, *out;
  hipMalloc(&in, 4096);
  hipMalloc(&out, 128);
  warp_sum<<<32, 32>>>(in, out);
  return hipDeviceSynchronize();
}
"""


def test_the_authors_own_port_is_the_target_of_a_pair(
    kernelset: Kernelset, tmp_path: Path
) -> None:
    project = tmp_path / "sums"
    for name, text in (("sum-cuda/main.cu", CUDA), ("sum-hip/main.cu", HIP)):
        (project / name).parent.mkdir(parents=True)
        (project / name).write_text(text)
    kernelset.run("crawl", project, seconds=600)

    words = ("export", "pairs", tmp_path / "pairs.jsonl", "--licence", "any")
    kernelset.run(*words)
    lines = (tmp_path / "pairs.jsonl").read_text().splitlines()
    rows = {row["place"]["name"]: row for row in map(json.loads, lines)}
    assert set(rows) == {"warp_sum", "fill"}
    assert rows["fill"]["ported_by"] == "rules"

    row = rows["warp_sum"]
    assert row["ported_by"] == "author"
    assert row["place"]["path"] == "sum-cuda/main.cu"
    assert row["hip_place"]["path"] == "sum-hip/main.cu"
    assert "__shfl_down(sum, step, 32)" in row["hip"]["source"]
    assert row["hip"]["pass_call"] == {"gfx90a": "pass"}
    assert row["rules_port"]["pass_call"] == {"gfx90a": "pass"}
    assert 0 < row["likeness"] < 1

    (kernel_row,) = kernelset.rows("query", "tag = author-port")
    assert kernel_row["path"] == "sum-cuda/main.cu"
    output = kernelset.run("show", kernel_row["digest"]).stdout
    assert "author's port  sum-hip/main.cu:4" in output
    # neither is left out as a copy of the other
    kernelset.run("export", "kernels", tmp_path / "k.jsonl", "--licence", "any")
    assert len((tmp_path / "k.jsonl").read_text().splitlines()) == 3
