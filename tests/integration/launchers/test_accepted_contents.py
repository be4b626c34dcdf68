"""Calls that use what they are given: contents that checks let through, windows over their data."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.programs.test_launcher_calls import get_kernel, observe

pytestmark = pytest.mark.apt
BAGS = """#include <torch/extension.h>
__global__ void reverse_bags(const float* items, const int* fill, float* out, int room) {
  extern __shared__ float bag[];
  const int mine = fill[blockIdx.x];
  for (int i = threadIdx.x; i < mine; i += blockDim.x) bag[i] = items[blockIdx.x * room + i];
  __syncthreads();
  for (int i = threadIdx.x; i < room; i += blockDim.x) out[blockIdx.x * room + i] = i < mine ? bag[mine - 1 - i] : 0.f;
}
torch::Tensor reversed_bags(torch::Tensor items, torch::Tensor fill) {
  TORCH_CHECK(items.dim() == 2 && items.is_contiguous() && items.scalar_type() == torch::kFloat);
  TORCH_CHECK(fill.dim() == 1 && fill.scalar_type() == torch::kInt && fill.size(0) == items.size(0));
  TORCH_CHECK(fill.min().item<int>() > 0 && fill.max().item<int>() <= items.size(1), "a bag is too full");
  const int64_t most = fill.max().item<int>();
  auto out = torch::empty_like(items);
  reverse_bags<<<items.size(0), 32, most * sizeof(float)>>>(items.data_ptr<float>(), fill.data_ptr<int>(),
                                                            out.data_ptr<float>(), items.size(1));
  return out;
}
"""
WINDOWS = """#include <torch/extension.h>
__global__ void sum_windows(const float* x, float* y, int n, int outputs, int reach, int step, int before) {
  const int at = blockIdx.x * 64 + threadIdx.x;
  if (at >= outputs) return;
  float sum = 0.f;
  for (int k = 0; k < reach; ++k) {
    const int from = at * step - before + k;
    if (from >= 0 && from < n) sum += x[from];
  }
  y[at] = sum;
}
torch::Tensor window_sums(torch::Tensor x, int64_t reach, int64_t step, int64_t before) {
  TORCH_CHECK(x.dim() == 1 && x.is_contiguous() && x.scalar_type() == torch::kFloat);
  TORCH_CHECK(reach > 0 && step > 0 && before >= 0);
  const int64_t outputs = (x.size(0) + 2 * before - reach) / step + 1;
  TORCH_CHECK(x.size(0) + 2 * before >= reach && outputs > 0);
  auto y = torch::empty({outputs}, x.options());
  sum_windows<<<(outputs + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0), outputs, reach, step,
                                           before);
  return y;
}
"""


@pytest.mark.parametrize(
    ("text", "launcher"),
    [(BAGS, "reversed_bags"), (WINDOWS, "window_sums")],
    ids=["bags", "windows"],
)
def test_correct_kernels_are_not_blamed(
    tmp_path: Path, text: str, launcher: str
) -> None:
    kernel = get_kernel(observe(tmp_path, text, launcher))

    assert kernel.fault is None
    assert kernel.is_consistent


@pytest.mark.parametrize(
    ("text", "launcher", "right", "wrong"),
    [
        (
            BAGS,
            "reversed_bags",
            "most = fill.max().item<int>();",
            "most = (fill.sum().item<int64_t>() + items.size(0) - 1) / items.size(0);",
        ),
        (WINDOWS, "window_sums", "from >= 0 && from < n", "from < n"),
    ],
    ids=["room-for-the-mean", "no-lower-bound"],
)
def test_what_goes_wrong_with_contents_that_are_used_is_told(
    tmp_path: Path, text: str, launcher: str, right: str, wrong: str
) -> None:
    assert text.count(right) == 1
    kernel = get_kernel(observe(tmp_path, text.replace(right, wrong), launcher))

    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"
