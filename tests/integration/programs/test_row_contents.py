"""Calls of launchers that take lists of parts, one in each row of a tensor."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.programs.test_launcher_calls import get_kernel, observe

pytestmark = pytest.mark.apt
SPREADER = """#include <torch/extension.h>
__global__ void spread_kernel(const float* from, const int64_t* bounds, float* out, int rows, int parts, int length) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= rows * parts) return;
  const int64_t* own = bounds + index / parts * (parts + 1) + index % parts;
  for (int64_t at = own[0]; at < own[1]; ++at) out[index / parts * length + at] = from[index];
}
torch::Tensor spread(torch::Tensor from, torch::Tensor bounds) {
  TORCH_CHECK(from.dim() == 2 && bounds.dim() == 2);
  TORCH_CHECK(from.scalar_type() == at::kFloat && bounds.scalar_type() == at::kLong);
  TORCH_CHECK(bounds.size(0) == from.size(0) && bounds.size(1) == from.size(1) + 1);
  TORCH_CHECK(from.is_contiguous() && bounds.is_contiguous());
  const int64_t length = bounds.flatten()[-1].cpu().data_ptr<int64_t>()[0];
  torch::Tensor out = torch::empty({from.size(0), length}, from.options());
  const int count = from.numel();
  spread_kernel<<<(count + 127) / 128, 128>>>(
      from.data_ptr<float>(), bounds.data_ptr<int64_t>(), out.data_ptr<float>(), from.size(0), from.size(1), length);
  return out;
}
"""
GUARD = "  if (index >= rows * parts) return;\n"


def test_each_row_holds_a_list_of_parts_that_cover_it(tmp_path: Path) -> None:
    kernel = get_kernel(observe(tmp_path, SPREADER, "spread"))

    assert kernel.fault is None
    assert kernel.is_consistent
    # more than one row: the list in the first one may not be all that was seen
    sizes = {
        tuple(buffer.size for buffer in recording.buffers)
        for recording in kernel.recordings
    }
    assert len({bounds - spread for spread, bounds, *_ in sizes}) > 1


def test_parts_that_are_not_written_are_found(tmp_path: Path) -> None:
    assert GUARD in SPREADER
    kernel = get_kernel(observe(tmp_path, SPREADER.replace(GUARD, ""), "spread"))

    assert kernel.fault is not None
    assert kernel.fault.code in {"out-of-bounds", "uninitialised-read"}
