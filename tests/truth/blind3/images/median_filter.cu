//: defect last-row-is-not-clamped: out-of-bounds
//- const int yy = min(max(y + dy, 0), h - 1);
//+ const int yy = max(y + dy, 0);
//: defect window-has-one-place-too-few: array-bounds|out-of-bounds
//- float window[9];
//+ float window[8];
#include "median_filter.h"

#include <cuda_runtime.h>

namespace imgproc {

__global__ void median3x3(const float* __restrict__ src, float* __restrict__ dst, int w, int h) {
  const int x = blockDim.x * blockIdx.x + threadIdx.x;
  const int y = blockDim.y * blockIdx.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float window[9];
  int count = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    const int yy = min(max(y + dy, 0), h - 1);
    for (int dx = -1; dx <= 1; ++dx) {
      const int xx = min(max(x + dx, 0), w - 1);
      const float value = src[yy * w + xx];
      int place = count++;
      while (place > 0 && window[place - 1] > value) {
        window[place] = window[place - 1];
        --place;
      }
      window[place] = value;
    }
  }
  dst[y * w + x] = window[4];
}

void median_filter(const float* src, float* dst, int w, int h, cudaStream_t stream) {
  if (w < 1 || h < 1) return;
  const dim3 threads(32, 4);
  const dim3 blocks((w + 31) / 32, (h + 3) / 4);
  median3x3<<<blocks, threads, 0, stream>>>(src, dst, w, h);
}

}  // namespace imgproc
//: file median_filter.h
#pragma once
#include <cuda_runtime.h>

namespace imgproc {
/// Filters an image of `w` by `h` floats; both images are on the device and may not overlap.
void median_filter(const float* src, float* dst, int w, int h, cudaStream_t stream = 0);
}
//: file CMakeLists.txt
cmake_minimum_required(VERSION 3.18)
project(imgproc LANGUAGES CXX CUDA)
add_library(imgproc STATIC median_filter.cu)
target_include_directories(imgproc PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
