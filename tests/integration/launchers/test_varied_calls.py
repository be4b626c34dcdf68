"""Calls as somebody may make them: of slices, with keys beyond all others, with numbers as large as
a check allows; and reads in between of what others still count.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.programs.test_launcher_calls import observe

pytestmark = pytest.mark.apt
PAIRS = """#include <torch/extension.h>
__global__ void twice_pairs(const float* x, float* y, int64_t pairs) {
  const int64_t i = (int64_t)blockIdx.x * 64 + threadIdx.x;
  if (i >= pairs) return;
  float2 pair = reinterpret_cast<const float2*>(x)[i];
  reinterpret_cast<float2*>(y)[i] = make_float2(2 * pair.x, 2 * pair.y);
}
__global__ void twice_singles(const float* x, float* y, int64_t n) {
  const int64_t i = (int64_t)blockIdx.x * 64 + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
torch::Tensor twice(torch::Tensor x) {
  TORCH_CHECK(x.is_contiguous() && x.scalar_type() == torch::kFloat);
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  if (n % 2 == 0 && reinterpret_cast<uintptr_t>(x.data_ptr<float>()) % sizeof(float2) == 0)
    twice_pairs<<<(n / 2 + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n / 2);
  else
    twice_singles<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""
WHOLE_PAIRS = PAIRS.replace(
    "x.scalar_type() == torch::kFloat);",
    "x.scalar_type() == torch::kFloat);\n  TORCH_CHECK(x.size(-1) % 2 == 0);",
)
BINS = """#include <torch/extension.h>
__global__ void find_bins(const int* edges, const int* values, int* bins, int edge_count, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  if (i >= n) return;
  int bin = 0;
  while (bin < edge_count && edges[bin] <= values[i]) ++bin;
  bins[i] = bin;
}
torch::Tensor bins_of(torch::Tensor edges, torch::Tensor values) {
  TORCH_CHECK(edges.dim() == 1 && edges.is_contiguous() && edges.scalar_type() == torch::kInt);
  TORCH_CHECK(values.dim() == 1 && values.is_contiguous() && values.scalar_type() == torch::kInt);
  auto bins = torch::empty_like(values);
  const int n = values.numel();
  find_bins<<<(n + 63) / 64, 64>>>(edges.data_ptr<int>(), values.data_ptr<int>(), bins.data_ptr<int>(),
                                   edges.numel(), n);
  return bins;
}
"""
RECENT = """#include <torch/extension.h>
__global__ void add_recent(const float* x, float* y, int n, int reach) {
  if (threadIdx.x) return;
  float kept[16];
  const float* row = x + (int64_t)blockIdx.x * n;
  for (int i = 0; i < n; ++i) {
    kept[i % reach] = row[i];
    float sum = 0.f;
    for (int k = 0; k < reach && k <= i; ++k) sum += kept[k];
    y[(int64_t)blockIdx.x * n + i] = sum;
  }
}
torch::Tensor recent_sums(torch::Tensor x, int64_t reach) {
  TORCH_CHECK(x.dim() == 2 && x.is_contiguous() && x.scalar_type() == torch::kFloat);
  TORCH_CHECK(reach > 0 && reach <= 16 && reach <= x.size(1), "no such reach");
  auto y = torch::empty_like(x);
  add_recent<<<x.size(0), 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1), reach);
  return y;
}
"""
DIGITS = """#include <torch/extension.h>
__global__ void count_digits(const uint8_t* x, int* counts, int n) {
  __shared__ int own[4][256];
  for (int i = threadIdx.x; i < 1024; i += 128) own[i / 256][i % 256] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += 128) atomicAdd(&own[threadIdx.x / 32][x[i]], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += 128) counts[i] = own[0][i] + own[1][i] + own[2][i] + own[3][i];
}
torch::Tensor digit_counts(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 1 && x.is_contiguous() && x.scalar_type() == torch::kByte);
  auto counts = torch::empty({256}, x.options().dtype(torch::kInt));
  count_digits<<<1, 128>>>(x.data_ptr<uint8_t>(), counts.data_ptr<int>(), x.numel());
  return counts;
}
"""
HALVES = """#include <torch/extension.h>
__global__ void swap_halves(const float* x, const float* gain, float* y, int half, int length) {
  for (int i = threadIdx.x; i < half; i += 32) {
    y[blockIdx.x * length + i] = gain[i] * x[blockIdx.x * length + half + i];
    y[blockIdx.x * length + half + i] = gain[i] * x[blockIdx.x * length + i];
  }
}
torch::Tensor swapped(torch::Tensor x, torch::Tensor gain) {
  TORCH_CHECK(x.dim() == 2 && x.is_contiguous() && x.scalar_type() == torch::kFloat && x.numel() > 0);
  TORCH_CHECK(gain.is_contiguous() && gain.scalar_type() == torch::kFloat);
  TORCH_CHECK(x.size(1) % 2 == 0);
  TORCH_CHECK(gain.dim() == 1 && gain.size(0) == x.size(1) / 2);
  auto y = torch::empty_like(x);
  swap_halves<<<x.size(0), 32>>>(x.data_ptr<float>(), gain.data_ptr<float>(), y.data_ptr<float>(), gain.size(0),
                                 x.size(1));
  return y;
}
"""


@pytest.mark.parametrize(
    ("text", "launcher"),
    [
        (PAIRS, "twice"),
        (WHOLE_PAIRS, "twice"),
        (BINS, "bins_of"),
        (RECENT, "recent_sums"),
        (DIGITS, "digit_counts"),
        (HALVES, "swapped"),
    ],
    ids=["views", "whole-pairs", "keys", "numbers", "counts", "halves"],
)
def test_correct_kernels_are_not_blamed(
    tmp_path: Path, text: str, launcher: str
) -> None:
    report = observe(tmp_path, text, launcher)

    assert report.code == "", report.message
    assert all(kernel.fault is None for kernel in report.kernels)


@pytest.mark.parametrize(
    ("text", "launcher", "right", "wrong", "codes"),
    [
        (
            PAIRS,
            "twice",
            " && reinterpret_cast<uintptr_t>(x.data_ptr<float>()) % sizeof(float2) == 0",
            "",
            {"misaligned"},
        ),
        (
            BINS,
            "bins_of",
            "bin < edge_count &&",
            "bin <= edge_count &&",
            {"out-of-bounds"},
        ),
        (
            RECENT,
            "recent_sums",
            "reach <= 16 && ",
            "",
            {"array-bounds", "out-of-bounds"},
        ),
        (
            DIGITS,
            "digit_counts",
            "], 1);\n  __syncthreads();",
            "], 1);\n  __syncwarp();",
            {"race"},
        ),
        (
            HALVES,
            "swapped",
            "  TORCH_CHECK(x.size(1) % 2 == 0);\n",
            "",
            {"uninitialised-read"},
        ),
    ],
    ids=["views", "keys", "numbers", "counts", "halves"],
)
def test_what_goes_wrong_in_calls_that_anybody_may_make_is_told(
    tmp_path: Path, text: str, launcher: str, right: str, wrong: str, codes: set[str]
) -> None:
    assert text.count(right) == 1
    report = observe(tmp_path, text.replace(right, wrong), launcher)

    (fault,) = [each.fault for each in report.kernels if each.fault]
    assert fault.code in codes
