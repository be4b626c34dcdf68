"""Calls of launchers whose checks ask for sizes that go together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.programs.test_launcher_calls import get_kernel, observe

pytestmark = pytest.mark.apt
GATES = """#include <torch/extension.h>
__global__ void open_gates(const float* gates, const float* bias, const int* ends, float* state, int columns) {
  const int row = blockIdx.x, column = blockIdx.y * 32 + threadIdx.x;
  if (column >= columns) return;
  const float* own = gates + row * 3 * columns;
  const float shift = bias[column % 80] * (ends[row + 1] - ends[row]);
  state[row * columns + column] += own[column] * own[columns + column] + own[2 * columns + column] * shift;
}
void step(torch::Tensor gates, torch::Tensor bias, torch::Tensor ends, torch::Tensor state) {
  TORCH_CHECK(state.dim() == 2 && gates.dim() == 2 && bias.dim() == 1 && ends.dim() == 1);
  TORCH_CHECK(state.scalar_type() == at::kFloat && gates.scalar_type() == at::kFloat);
  TORCH_CHECK(bias.scalar_type() == at::kFloat && ends.scalar_type() == at::kInt);
  const int64_t rows = state.size(0), columns = state.size(1);
  TORCH_CHECK(gates.size(0) == rows && gates.size(1) == 3 * columns);
  TORCH_CHECK(bias.size(0) == 80 && ends.size(0) == rows + 1);
  TORCH_CHECK(gates.is_contiguous() && bias.is_contiguous() && state.is_contiguous() && ends.is_contiguous());
  open_gates<<<dim3(rows, (columns + 31) / 32), 32>>>(
      gates.data_ptr<float>(), bias.data_ptr<float>(), ends.data_ptr<int>(), state.data_ptr<float>(), columns);
}
"""
GUARD = "  if (column >= columns) return;\n"


def test_multiples_and_neighbours_of_other_sizes_are_found(tmp_path: Path) -> None:
    kernel = get_kernel(observe(tmp_path, GATES, "step"))

    assert kernel.fault is None
    assert kernel.is_consistent
    # neither side of the state is the same in all calls
    sizes = {
        tuple(buffer.size for buffer in recording.buffers)
        for recording in kernel.recordings
    }
    assert len({gates for gates, *_ in sizes}) > 1


def test_a_defect_behind_such_checks_is_found(tmp_path: Path) -> None:
    assert GUARD in GATES
    kernel = get_kernel(observe(tmp_path, GATES.replace(GUARD, ""), "step"))

    assert kernel.fault is not None
    assert kernel.fault.code in {"out-of-bounds", "race"}
