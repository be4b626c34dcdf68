"""Calls that a launcher's checks ask for: of one type, of sizes that halve, of a template."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.programs.test_launcher_calls import get_kernel, observe

pytestmark = pytest.mark.apt
MIX = """#include <torch/extension.h>
template <typename T> __global__ void mix(T* to, const T* a, const T* b, int64_t rows, int64_t columns) {
  const int64_t c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y;
  if (c < columns) to[r * columns + c] += a[r] * b[c];
}
void mix_into(torch::Tensor& to, torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(to.dim() == 2 && a.dim() == 1 && b.dim() == 1);
  TORCH_CHECK(a.size(0) == to.size(0) && b.size(0) == to.size(1) && to.numel() > 0);
  TORCH_CHECK(a.scalar_type() == to.scalar_type() && b.scalar_type() == to.scalar_type());
  TORCH_CHECK(to.is_contiguous() && a.is_contiguous() && b.is_contiguous());
  AT_DISPATCH_FLOATING_TYPES(to.scalar_type(), "mix", [&] {
    mix<scalar_t><<<dim3((to.size(1) + 31) / 32, to.size(0)), 32>>>(
        to.data_ptr<scalar_t>(), a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(), to.size(0), to.size(1));
  });
}
"""
FOLDS = """#include <cuda_runtime.h>
__global__ void fold(float* rows, int n) {
  extern __shared__ float row[];
  const int t = threadIdx.x;
  row[t] = rows[blockIdx.x * n + t];
  __syncthreads();
  for (int half = n / 2; half > 0; half /= 2) {
    if (t < half) row[t] += row[t + half];
    __syncthreads();
  }
  rows[blockIdx.x * n + t] = row[0];
}
int fold_rows(float* rows, int count, int n) {
  if (count < 1 || n < 2 || n > 1024 || (n & (n - 1)) != 0) return 1;
  fold<<<count, n, n * sizeof(float)>>>(rows, n);
  return 0;
}
"""
STEPS = """#include <cuda_runtime.h>
template <typename Real> __global__ void steps(const Real* from, Real* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = i > 0 ? from[i] - from[i - 1] : Real(0);
}
template <typename Real> void find_steps(const Real* from, Real* to, int n) {
  if (n > 0) steps<<<(n + 63) / 64, 64>>>(from, to, n);
}
template void find_steps<double>(const double*, double*, int);
"""
DOUBLES = """#include <torch/extension.h>
__global__ void twice(const float* from, float* to, int64_t n) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const float value = i < n ? from[i] : 0;
  if (i < n) to[i] = value + value;
}
torch::Tensor doubled(torch::Tensor x) {
  auto flat = x.contiguous();
  auto result = torch::empty_like(flat);
  const int64_t n = flat.numel();
  if (n > 0) twice<<<(n + 63) / 64, 64>>>(flat.data_ptr<float>(), result.data_ptr<float>(), n);
  return result;
}
"""
MODES = """#include <torch/extension.h>
__global__ void most_common(const float* values, int64_t* modes, int columns) {
  __shared__ int counts[4];
  const int t = threadIdx.x;
  if (t < 4) counts[t] = 0;
  __syncthreads();
  for (int i = t; i < columns; i += 32) atomicAdd(&counts[(int)(fabsf(values[blockIdx.x * columns + i]) * 64) & 3], 1);
  __syncthreads();
  if (t > 0) return;
  int best = 0;
  for (int k = 1; k < 4; ++k) {
    if (counts[k] > counts[best]) best = k;
  }
  modes[blockIdx.x] = best;
}
torch::Tensor modes_of(torch::Tensor values) {
  TORCH_CHECK(values.dim() == 2 && values.scalar_type() == at::kFloat && values.is_contiguous());
  auto modes = torch::empty({values.size(0)}, values.options().dtype(at::kLong));
  most_common<<<values.size(0), 32>>>(values.data_ptr<float>(), modes.data_ptr<int64_t>(), values.size(1));
  return modes;
}
"""
# of two matrices as many rows, where nothing says that they have as many
LOOKUPS = """#include <torch/extension.h>
__global__ void look_up(const float* keys, const float* table, int64_t* found, int n, int entries) {
  __shared__ float part[64][3];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  if (t < entries) {
    for (int d = 0; d < 3; ++d) part[t][d] = table[t * 3 + d];
  }
  __syncthreads();
  if (i >= n) return;
  int best = 0;
  for (int e = 1; e < entries; ++e) {
    if (fabsf(part[e][1] - keys[i * 3]) < fabsf(part[best][1] - keys[i * 3])) best = e;
  }
  found[i] = best;
}
torch::Tensor looked_up(torch::Tensor keys, torch::Tensor table) {
  TORCH_CHECK(keys.dim() == 2 && table.dim() == 2 && keys.size(0) > 0 && table.size(0) > 0);
  TORCH_CHECK(keys.size(1) == 3 && table.size(1) == 3);
  TORCH_CHECK(table.size(0) <= 64 && keys.is_contiguous() && table.is_contiguous());
  TORCH_CHECK(keys.scalar_type() == at::kFloat && table.scalar_type() == at::kFloat);
  auto found = torch::empty({keys.size(0)}, keys.options().dtype(at::kLong));
  look_up<<<(keys.size(0) + 63) / 64, 64>>>(
      keys.data_ptr<float>(), table.data_ptr<float>(), found.data_ptr<int64_t>(), keys.size(0), table.size(0));
  return found;
}
"""
# of two lists as many, where nothing says that they have as many
NEAREST = """#include <torch/extension.h>
__global__ void nearest(const float* keys, const float* table, int64_t* found, int64_t n, int64_t entries) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= n) return;
  int64_t best = 0;
  for (int64_t e = 1; e < entries; ++e) {
    if (fabsf(table[e] - keys[i]) < fabsf(table[best] - keys[i])) best = e;
  }
  found[i] = best;
}
torch::Tensor nearest_of(torch::Tensor keys, torch::Tensor table) {
  TORCH_CHECK(keys.dim() == 1 && table.dim() == 1 && keys.numel() > 0 && table.numel() > 0);
  TORCH_CHECK(keys.is_contiguous() && table.is_contiguous());
  TORCH_CHECK(keys.scalar_type() == at::kFloat && table.scalar_type() == at::kFloat);
  auto found = torch::empty({keys.size(0)}, keys.options().dtype(at::kLong));
  nearest<<<(keys.size(0) + 63) / 64, 64>>>(
      keys.data_ptr<float>(), table.data_ptr<float>(), found.data_ptr<int64_t>(), keys.size(0), table.size(0));
  return found;
}
"""
# it wants as many of one as of the other, and does not say so
SCALED = """#include <torch/extension.h>
__global__ void scale(const float* from, const float* factors, float* to, int64_t n) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i] * factors[i];
}
torch::Tensor scaled(torch::Tensor from, torch::Tensor factors) {
  TORCH_CHECK(from.dim() == 1 && factors.dim() == 1 && from.numel() > 0 && factors.numel() > 0);
  TORCH_CHECK(from.scalar_type() == at::kFloat && factors.scalar_type() == at::kFloat);
  auto to = torch::empty_like(from);
  const int64_t n = from.size(0);
  scale<<<(n + 63) / 64, 64>>>(from.data_ptr<float>(), factors.data_ptr<float>(), to.data_ptr<float>(), n);
  return to;
}
"""


@pytest.mark.parametrize(
    ("text", "name", "right", "wrong", "code"),
    [
        (MIX, "mix_into", "a[r] * b[c]", "a[c] * b[r]", "out-of-bounds"),
        (FOLDS, "fold_rows", "+= row[t + half]", "+= row[t + half - 1]", "race"),
        (STEPS, "find_steps<double>", "i > 0", "i >= 0", "out-of-bounds"),
        (
            LOOKUPS,
            "looked_up",
            "e < entries",
            "e < min(n, 64)",
            "uninitialised-read",
        ),
        (NEAREST, "nearest_of", "e < entries", "e < n", "out-of-bounds"),
        (SCALED, "scaled", "i < n", "i <= n", "out-of-bounds"),
        # each count begins with the same: the largest is where it was
        (MODES, "modes_of", "counts[t] = 0", "", "uninitialised-read"),
        (DOUBLES, "doubled", "if (i < n) to[i]", "to[i]", "out-of-bounds"),
    ],
)
def test_what_a_launcher_asks_for_is_found_and_its_kernel_blamed_for_a_defect_alone(
    tmp_path: Path, text: str, name: str, right: str, wrong: str, code: str
) -> None:
    blameless = get_kernel(observe(tmp_path, text, name))
    assert blameless.fault is None
    assert blameless.is_consistent

    assert right in text
    defective = get_kernel(observe(tmp_path, text.replace(right, wrong), name))
    assert defective.fault is not None
    assert defective.fault.code == code


def test_sizes_that_nothing_ties_are_chosen_by_themselves(tmp_path: Path) -> None:
    kernel = get_kernel(observe(tmp_path, LOOKUPS, "looked_up"))

    tables = {recording.buffers[1].size for recording in kernel.recordings}
    assert len(tables) > 1
