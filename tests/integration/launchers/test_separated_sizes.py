"""Equal sizes and numbers of a launcher's call are separated, so that none hides a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.programs.test_launcher_calls import get_kernel, observe

pytestmark = pytest.mark.apt
CROP = """#include <torch/extension.h>
__global__ void crop(const double* wide, double* narrow, int64_t count, int64_t pitch) {
  const int64_t line = blockIdx.y, at = blockIdx.x * 64 + threadIdx.x;
  if (at < count) narrow[line * count + at] = wide[line * pitch + at];
}
torch::Tensor keep_first(torch::Tensor wide, int64_t count) {
  TORCH_CHECK(wide.dim() == 2 && wide.is_contiguous() && wide.scalar_type() == torch::kDouble);
  TORCH_CHECK(count > 0 && count <= wide.size(1), "there are not so many");
  auto narrow = torch::empty({wide.size(0), count}, wide.options());
  if (wide.size(0) == 0) return narrow;
  crop<<<dim3((count + 63) / 64, wide.size(0)), 64>>>(wide.data_ptr<double>(), narrow.data_ptr<double>(), count,
                                                      wide.size(1));
  return narrow;
}
"""
COUNTS = """#include <torch/extension.h>
__global__ void count_levels(const float* heights, float* counts, int n, int levels, float floor, float step) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  const float level = (heights[i] - floor) / step;
  if (level >= 0 && level < levels) atomicAdd(counts + static_cast<int>(level), 1.f);
}
torch::Tensor level_counts(torch::Tensor heights, int64_t levels, double floor, double step) {
  TORCH_CHECK(heights.dim() == 1 && heights.is_contiguous() && heights.scalar_type() == torch::kFloat);
  TORCH_CHECK(levels > 0 && levels < 1024 && step > 0);
  auto counts = torch::zeros({levels}, heights.options());
  if (heights.numel() == 0) return counts;
  count_levels<<<(heights.numel() + 127) / 128, 128>>>(heights.data_ptr<float>(), counts.data_ptr<float>(),
                                                       heights.numel(), levels, floor, step);
  return counts;
}
"""


@pytest.mark.parametrize(
    ("text", "launcher"),
    [(CROP, "keep_first"), (COUNTS, "level_counts")],
    ids=["crop", "counts"],
)
def test_correct_kernels_are_not_blamed(
    tmp_path: Path, text: str, launcher: str
) -> None:
    kernel = get_kernel(observe(tmp_path, text, launcher))

    assert kernel.fault is None
    assert kernel.is_consistent


def test_a_number_that_is_compared_with_a_size_hides_no_wrong_pitch(
    tmp_path: Path,
) -> None:
    assert CROP.count("narrow[line * count + at]") == 1
    text = CROP.replace("narrow[line * count + at]", "narrow[line * pitch + at]")
    kernel = get_kernel(observe(tmp_path, text, "keep_first"))

    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"


def test_a_histogram_without_atomics_races(tmp_path: Path) -> None:
    add = "atomicAdd(counts + static_cast<int>(level), 1.f)"
    assert COUNTS.count(add) == 1
    text = COUNTS.replace(add, "counts[static_cast<int>(level)] += 1.f")
    kernel = get_kernel(observe(tmp_path, text, "level_counts"))

    assert kernel.fault is not None
    assert kernel.fault.code == "race"
