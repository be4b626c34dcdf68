"""Launchers called again with contents, fills and sizes under which a defect has nowhere to hide."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.programs.test_launcher_calls import get_kernel, observe

pytestmark = pytest.mark.apt
PALETTE = """#include <torch/extension.h>
__global__ void paint(const int* colours, const float* palette, float* image, int pixels, int count) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pixels) return;
  int colour = colours[p];
  if (colour < 0 || colour >= count) { image[p] = 0; return; }
  image[p] = palette[colour * 3 + 2];
}
torch::Tensor blue(torch::Tensor colours, torch::Tensor palette) {
  TORCH_CHECK(colours.dim() == 1 && palette.dim() == 2 && palette.size(1) == 3);
  TORCH_CHECK(colours.scalar_type() == torch::kInt && palette.scalar_type() == torch::kFloat);
  TORCH_CHECK(colours.is_contiguous() && palette.is_contiguous());
  auto image = torch::empty({colours.size(0)}, palette.options());
  paint<<<(colours.size(0) + 63) / 64, 64>>>(colours.data_ptr<int>(), palette.data_ptr<float>(),
                                             image.data_ptr<float>(), colours.size(0), palette.size(0));
  return image;
}
"""
SPREADS = """#include <torch/extension.h>
__global__ void row_spread(const float* rows, float* spreads, int width) {
  __shared__ float lowest[96], highest[96];
  int t = threadIdx.x;
  float low = 1e30f, high = -1e30f;
  for (int x = t; x < width; x += 96) {
    low = fminf(low, rows[blockIdx.x * width + x]);
    high = fmaxf(high, rows[blockIdx.x * width + x]);
  }
  lowest[t] = low;
  highest[t] = high;
  __syncthreads();
  for (int step = 48; step >= 3; step /= 2) {
    if (t < step) {
      if (lowest[t + step] < lowest[t]) lowest[t] = lowest[t + step];
      if (highest[t + step] > highest[t]) highest[t] = highest[t + step];
    }
    __syncthreads();
  }
  if (t == 0) spreads[blockIdx.x] = fmaxf(highest[0], fmaxf(highest[1], highest[2])) -
                                    fminf(lowest[0], fminf(lowest[1], lowest[2]));
}
torch::Tensor spread(torch::Tensor rows) {
  TORCH_CHECK(rows.dim() == 2 && rows.scalar_type() == torch::kFloat && rows.is_contiguous());
  TORCH_CHECK(rows.size(0) > 0 && rows.size(1) > 0);
  auto spreads = torch::empty({rows.size(0)}, rows.options());
  row_spread<<<rows.size(0), 96>>>(rows.data_ptr<float>(), spreads.data_ptr<float>(), rows.size(1));
  return spreads;
}
"""
PEAKS = """#include <cuda_runtime.h>
__global__ void window_peaks(const float* signal, float* peaks, int count, int window, int windows) {
  int w = blockIdx.x * blockDim.x + threadIdx.x;
  if (w >= windows) return;
  int end = (w + 1) * window < count ? (w + 1) * window : count;
  float peak = signal[w * window];
  for (int i = w * window; i < end; ++i) peak = fmaxf(peak, signal[i]);
  peaks[w] = peak;
}
void find_peaks(const float* host, float* peaks, int count, int window) {
  if (count < 1 || window < 1) return;
  int windows = (count + window - 1) / window;
  float *signal, *found;
  cudaMalloc(&signal, count * sizeof(float));
  cudaMalloc(&found, windows * sizeof(float));
  cudaMemcpy(signal, host, count * sizeof(float), cudaMemcpyHostToDevice);
  window_peaks<<<(windows + 63) / 64, 64>>>(signal, found, count, window, windows);
  cudaMemcpy(peaks, found, windows * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(signal);
  cudaFree(found);
}
"""
SEGMENTS = """#include <torch/extension.h>
__global__ void segment_sums(const float* values, const int* ends, float* sums, int segments) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments) return;
  sums[s] = 0;
  if (ends[s] >= ends[s + 1]) return;
  for (int i = ends[s]; i < ends[s + 1]; ++i) sums[s] += values[i];
}
torch::Tensor sums_of(torch::Tensor values, torch::Tensor ends) {
  TORCH_CHECK(values.dim() == 1 && ends.dim() == 1 && ends.size(0) > 1);
  TORCH_CHECK(values.scalar_type() == torch::kFloat && ends.scalar_type() == torch::kInt);
  TORCH_CHECK(values.is_contiguous() && ends.is_contiguous());
  auto sums = torch::empty({ends.size(0) - 1}, values.options());
  segment_sums<<<(ends.size(0) + 62) / 64, 64>>>(values.data_ptr<float>(), ends.data_ptr<int>(),
                                                 sums.data_ptr<float>(), ends.size(0) - 1);
  return sums;
}
"""


RUNS = """#include <torch/extension.h>
__global__ void count_runs(const int* symbols, const int* lengths, int* counts, int batch, int steps) {
  int b = blockIdx.x * blockDim.x + threadIdx.x;
  if (b >= batch) return;
  const int* path = symbols + b * steps;
  int count = 0;
  for (int t = 0; t < lengths[b]; ++t) count += t == 0 || path[t] != path[t - 1];
  counts[b] = count;
}
torch::Tensor runs(torch::Tensor symbols, torch::Tensor lengths) {
  TORCH_CHECK(symbols.dim() == 2 && lengths.dim() == 1 && lengths.size(0) == symbols.size(0));
  TORCH_CHECK(symbols.scalar_type() == torch::kInt && lengths.scalar_type() == torch::kInt);
  TORCH_CHECK(symbols.is_contiguous() && lengths.is_contiguous());
  auto counts = torch::empty_like(lengths);
  count_runs<<<(symbols.size(0) + 63) / 64, 64>>>(symbols.data_ptr<int>(), lengths.data_ptr<int>(),
                                                  counts.data_ptr<int>(), symbols.size(0), symbols.size(1));
  return counts;
}
"""
LETTERS = """#include <cuda_runtime.h>
__device__ int number(char letter) { return letter == 'x' ? 0 : letter == 'y' ? 1 : -1; }
__global__ void count_pairs(const char* text, int* counts, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 >= length) return;
  int first = number(text[i]), second = number(text[i + 1]);
  if (first < 0 || second < 0) return;
  atomicAdd(&counts[first * 2 + second], 1);
}
void pairs(const char* host, int* found, int length) {
  if (length < 1) return;
  char* text;
  int* counts;
  cudaMalloc(&text, length);
  cudaMalloc(&counts, 4 * sizeof(int));
  cudaMemset(counts, 0, 4 * sizeof(int));
  cudaMemcpy(text, host, length, cudaMemcpyHostToDevice);
  count_pairs<<<(length + 63) / 64, 64>>>(text, counts, length);
  cudaMemcpy(found, counts, 4 * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(text);
  cudaFree(counts);
}
"""
SPACES = """#include <cuda_runtime.h>
__global__ void keep_spaces(const char* text, const int* places, int* kept, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < length && text[i] == ' ') kept[places[i]] = i;
}
void spaces(const char* text, const int* places, int* kept, int length) {
  if (length > 0) keep_spaces<<<(length + 63) / 64, 64>>>(text, places, kept, length);
}
"""


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (PALETTE, "blue"),
        (SPREADS, "spread"),
        (PEAKS, "find_peaks"),
        (SEGMENTS, "sums_of"),
        (RUNS, "runs"),
        (LETTERS, "pairs"),
        (SPACES, "spaces"),
    ],
)
def test_kernels_without_a_defect_are_not_blamed(
    tmp_path: Path, text: str, name: str
) -> None:
    kernel = get_kernel(observe(tmp_path, text, name))

    assert kernel.fault is None
    assert kernel.is_consistent


def test_the_last_index_that_a_check_lets_through_must_stay_within_memory(
    tmp_path: Path,
) -> None:
    text = PALETTE.replace("colour * 3 + 2", "colour * 3 + 3")
    kernel = get_kernel(observe(tmp_path, text, "blue"))

    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"


def test_a_check_that_lets_one_index_too_many_through_is_wrong(tmp_path: Path) -> None:
    text = PALETTE.replace("colour >= count", "colour > count")
    kernel = get_kernel(observe(tmp_path, text, "blue"))

    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"


def test_the_first_of_an_empty_part_at_the_end_must_not_be_read(tmp_path: Path) -> None:
    assert "sums[s] = 0;" in SEGMENTS
    text = SEGMENTS.replace("sums[s] = 0;", "sums[s] = 0 * values[ends[s]];")
    kernel = get_kernel(observe(tmp_path, text, "sums_of"))

    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"
    assert "empty" in kernel.fault.message


def test_a_race_that_sides_of_one_element_hide_is_found(tmp_path: Path) -> None:
    barrier = "    }\n    __syncthreads();\n"
    assert barrier in SPREADS
    kernel = get_kernel(
        observe(tmp_path, SPREADS.replace(barrier, "    }\n"), "spread")
    )

    assert kernel.fault is not None
    assert kernel.fault.code == "race"


def test_parts_that_are_as_long_as_the_whole_hide_no_end(tmp_path: Path) -> None:
    line = "int end = (w + 1) * window < count ? (w + 1) * window : count;"
    assert line in PEAKS
    text = PEAKS.replace(line, "int end = (w + 1) * window;")
    kernel = get_kernel(observe(tmp_path, text, "find_peaks"))

    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"


def test_rubbish_that_a_maximum_passes_by_is_seen_as_a_number(tmp_path: Path) -> None:
    text = PEAKS.replace(
        "float peak = signal[w * window];", "float peak = fmaxf(0, peaks[w]);"
    )
    kernel = get_kernel(observe(tmp_path, text, "find_peaks"))

    assert kernel.fault is not None
    assert kernel.fault.code == "uninitialised-read"


def test_lengths_of_nothing_do_not_hide_what_lies_in_front(tmp_path: Path) -> None:
    assert "t == 0 || " in RUNS
    kernel = get_kernel(observe(tmp_path, RUNS.replace("t == 0 || ", ""), "runs"))

    assert kernel.fault is not None
    assert kernel.fault.code == "out-of-bounds"
    assert "one" in kernel.fault.message


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        ("atomicAdd(&counts[first * 2 + second], 1)", "++counts[first * 2 + second]", "race"),
        ("counts[first * 2 + second]", "counts[first * 3 + second]", "out-of-bounds"),
    ],
)  # fmt: skip
def test_letters_that_a_kernel_looks_for_are_among_its_contents(
    tmp_path: Path, right: str, wrong: str, code: str
) -> None:
    assert right in LETTERS
    kernel = get_kernel(observe(tmp_path, LETTERS.replace(right, wrong), "pairs"))

    assert kernel.fault is not None
    assert kernel.fault.code == code
