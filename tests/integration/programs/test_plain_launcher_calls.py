"""Launchers of projects that take plain pointers, called with memory that is larger than a call needs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.programs.test_launcher_calls import (
    get_kernel,
    is_blameless,
    observe,
)

pytestmark = pytest.mark.apt
ROWS = """#include <cuda_runtime.h>
struct Scale { float factor; int shift; };
__global__ void pack(const float* from, float* to, int width, int height, int pitch, Scale scale) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < width) to[y * width + x] = from[y * pitch + x] * scale.factor;
}
int pack_rows(const float* host, float* result, int width, int height, Scale scale, cudaStream_t stream) {
  int pitch = (width + 31) / 32 * 32;
  float *from, *to;
  cudaMalloc(&from, pitch * height * sizeof(float));
  cudaMalloc(&to, width * height * sizeof(float));
  cudaMemcpyAsync(from, host, pitch * height * sizeof(float), cudaMemcpyHostToDevice, stream);
  pack<<<dim3((width + 31) / 32, height), 32, 0, stream>>>(from, to, width, height, pitch, scale);
  cudaMemcpy(result, to, width * height * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(from);
  cudaFree(to);
  return 0;
}
"""
SUMS = """#include <cuda_runtime.h>
__global__ void sum_segments(const int* begins, const float* values, float* sums, int segments) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments) return;
  float sum = 0;
  for (int i = begins[s]; i < begins[s + 1]; ++i) sum += values[i];
  sums[s] = sum;
}
void sum_all(const int* begins, const float* values, float* sums, int segments, int count) {
  int* d_begins;
  float *d_values, *d_sums;
  cudaMalloc(&d_begins, (segments + 1) * sizeof(int));
  cudaMalloc(&d_values, count * sizeof(float));
  cudaMalloc(&d_sums, segments * sizeof(float));
  cudaMemcpy(d_begins, begins, (segments + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_values, values, count * sizeof(float), cudaMemcpyHostToDevice);
  sum_segments<<<(segments + 63) / 64, 64>>>(d_begins, d_values, d_sums, segments);
  cudaMemcpy(sums, d_sums, segments * sizeof(float), cudaMemcpyDeviceToHost);
}
"""


def test_a_launcher_of_pointers_is_called_with_sizes_of_every_kind(
    tmp_path: Path,
) -> None:
    kernel = get_kernel(observe(tmp_path, ROWS, "pack_rows"))

    assert kernel.fault is None
    assert kernel.is_consistent
    assert len(kernel.configurations) >= 5


FAULTS = {
    "the wrong distance of rows": ("to[y * width + x]", "to[y * pitch + x]"),
    "no guard": ("if (x < width) to", "to"),
    "too little memory": ("cudaMalloc(&to, width", "cudaMalloc(&to, (width - 1)"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_leaves_the_memory_of_a_plain_launcher_is_found(
    tmp_path: Path, fault: str
) -> None:
    kernel = get_kernel(observe(tmp_path, ROWS.replace(*FAULTS[fault]), "pack_rows"))

    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"
    assert kernel.fault.message.startswith("pack_rows(float*, float*, ")


def test_a_result_that_nobody_wrote_shows_where_it_is_copied(tmp_path: Path) -> None:
    text = ROWS.replace("if (x < width) to", "if (x < width && y != 1) to")
    kernel = get_kernel(observe(tmp_path, text, "pack_rows"))

    assert kernel.fault is not None
    assert kernel.fault.code == "uninitialised-read"


def test_contents_are_found_that_bound_segments(tmp_path: Path) -> None:
    kernel = get_kernel(observe(tmp_path, SUMS, "sum_all"))

    assert kernel.fault is None
    assert kernel.is_consistent


def test_what_a_caller_must_leave_room_for_is_no_fault(tmp_path: Path) -> None:
    # `first` is no size: nothing is allocated by it, and no thread started for it
    text = ROWS.replace("Scale scale, cuda", "Scale scale, int first, cuda")
    text = text.replace("(from, to, width", "(from, to + first, width")

    assert get_kernel(observe(tmp_path, text, "pack_rows")).fault is None


def test_what_returns_a_tensor_that_is_not_written_is_found(tmp_path: Path) -> None:
    text = """#include <torch/extension.h>
__global__ void mark(const float* x, float* out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count && x[i] > 0) out[i] = 1;
}
torch::Tensor positive(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 1 && x.scalar_type() == torch::kFloat);
  auto out = torch::empty_like(x);
  mark<<<(x.size(0) + 63) / 64, 64>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(0));
  return out;
}
"""
    kernel = get_kernel(observe(tmp_path, text, "positive"))

    assert kernel.fault is not None
    assert kernel.fault.code == "uninitialised-read"
    zeroed = text.replace("empty_like", "zeros_like")
    assert get_kernel(observe(tmp_path, zeroed, "positive")).fault is None


BARRIER = """#include <cuda_runtime.h>
__global__ void sum_blocks(const float* in, float* out, int n) {
  __shared__ float sums[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (i >= n) return;
  sums[t] = in[i];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half && i + half < n) sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = sums[0];
}
void sum(const float* host, float* sums, int n) {
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, (n + 63) / 64 * sizeof(float));
  cudaMemcpy(in, host, n * sizeof(float), cudaMemcpyHostToDevice);
  sum_blocks<<<(n + 63) / 64, 64>>>(in, out, n);
  cudaMemcpy(sums, out, (n + 63) / 64 * sizeof(float), cudaMemcpyDeviceToHost);
}
"""


def test_a_barrier_that_some_lanes_pass_more_often_diverges(tmp_path: Path) -> None:
    line = (
        "if (t < half && i + half < n) sums[t] += sums[t + half];\n    __syncthreads();"
    )
    inside = (
        "if (t < half && i + half < n) { sums[t] += sums[t + half]; __syncthreads(); }"
    )
    assert line in BARRIER
    text = BARRIER.replace(line, inside)
    kernel = get_kernel(observe(tmp_path, text, "sum"))

    assert kernel.fault is not None
    assert kernel.fault.code == "divergent-barrier"


def test_threads_that_leave_before_the_first_barrier_do_not_diverge(
    tmp_path: Path,
) -> None:
    assert get_kernel(observe(tmp_path, BARRIER, "sum")).fault is None


def test_a_check_of_indices_that_forgets_those_below_zero_is_wrong(
    tmp_path: Path,
) -> None:
    text = """#include <torch/extension.h>
__global__ void add(const int* index, float* sums, int count, int bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  if (index[i] < 0 || index[i] >= bins) return;
  atomicAdd(&sums[index[i]], 1.0f);
}
torch::Tensor count(torch::Tensor index, int64_t bins) {
  TORCH_CHECK(index.dim() == 1 && index.scalar_type() == torch::kInt && bins > 0);
  auto sums = torch::zeros({bins}, index.options().dtype(torch::kFloat));
  add<<<(index.size(0) + 63) / 64, 64>>>(index.data_ptr<int>(), sums.data_ptr<float>(), index.size(0), bins);
  return sums;
}
"""
    assert get_kernel(observe(tmp_path, text, "count")).fault is None

    unsigned_text = text.replace("index[i] < 0 || ", "")
    kernel = get_kernel(observe(tmp_path, unsigned_text, "count"))

    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"
    assert "below zero" in kernel.fault.message

    # who checks nothing relies on its callers
    trusting = text.replace("if (index[i] < 0 || index[i] >= bins) return;", "")
    assert is_blameless(observe(tmp_path, trusting, "count"))
