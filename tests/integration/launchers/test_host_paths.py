"""Launchers that compute the same for tensors of a CPU: what their kernels do is held against it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.programs.test_launcher_calls import get_kernel, observe

pytestmark = pytest.mark.apt
PEAKS = """#include <torch/extension.h>
template <typename scalar_t>
__global__ void row_peaks(const scalar_t* x, scalar_t* out, int64_t rows, int64_t columns) {
  const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  scalar_t peak = x[row * columns];
  for (int64_t c = 0; c < columns; ++c) peak = x[row * columns + c] > peak ? x[row * columns + c] : peak;
  out[row] = peak;
}
torch::Tensor peaks(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 2 && x.size(1) > 0);
  x = x.contiguous();
  auto out = torch::empty({x.size(0)}, x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "peaks", [&] {
    const scalar_t* from = x.data_ptr<scalar_t>();
    scalar_t* to = out.data_ptr<scalar_t>();
    if (x.is_cuda()) {
      row_peaks<scalar_t><<<(x.size(0) + 63) / 64, 64>>>(from, to, x.size(0), x.size(1));
      return;
    }
    for (int64_t row = 0; row < x.size(0); ++row)
      to[row] = *std::max_element(from + row * x.size(1), from + (row + 1) * x.size(1));
  });
  return out;
}
"""
ON_HOST = "    for (int64_t row = 0; row < x.size(0); ++row)"


def test_a_kernel_that_computes_what_its_launcher_does_is_right(tmp_path: Path) -> None:
    assert get_kernel(observe(tmp_path, PEAKS, "peaks")).is_consistent


def test_a_kernel_that_computes_otherwise_is_refused(tmp_path: Path) -> None:
    text = PEAKS.replace("scalar_t peak = x[row * columns];", "scalar_t peak = 0;")
    fault = get_kernel(observe(tmp_path, text, "peaks")).fault

    assert fault is not None
    assert fault.code == "own-check"
    assert "is 0 on the device and -" in fault.message


@pytest.mark.parametrize(
    "on_host",
    [
        "    return;\n" + ON_HOST,
        "    throw std::runtime_error(std::string());\n" + ON_HOST,
        "    for (int64_t row = 0; row < x.size(0) && to[row] > 1; ++row)",
    ],
    ids=["leaves-it-unwritten", "refuses", "depends-on-what-was-there"],
)
def test_a_launcher_that_does_nothing_for_a_cpu_says_nothing(
    tmp_path: Path, on_host: str
) -> None:
    assert ON_HOST in PEAKS
    kernel = get_kernel(observe(tmp_path, PEAKS.replace(ON_HOST, on_host), "peaks"))

    assert kernel.fault is None
    assert kernel.is_consistent
