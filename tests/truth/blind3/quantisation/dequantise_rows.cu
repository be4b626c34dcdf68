//: defect scales-come-twice-as-often: out-of-bounds
//- const float scale = scales[i / kGroup];
//+ const float scale = scales[i / (kGroup / 2)];
//: defect pairs-stand-where-single-values-stood: out-of-bounds
//- const uint8_t byte = packed[i / 2];
//+ const uint8_t byte = packed[i];
#include "dequantise.hpp"

namespace q4 {

__global__ void dequantise(const uint8_t* __restrict__ packed, const float* __restrict__ scales,
                           float* __restrict__ out, size_t n) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const uint8_t byte = packed[i / 2];
  const int code = i % 2 == 0 ? byte & 0xf : byte >> 4;
  const float scale = scales[i / kGroup];
  out[i] = (code - 8) * scale;
}

std::vector<float> dequantise_host(const std::vector<uint8_t>& packed, const std::vector<float>& scales) {
  const size_t n = packed.size() * 2;
  if (scales.size() * kGroup != n) throw std::invalid_argument("a scale for each group of 32");
  std::vector<float> result(n);
  if (n == 0) return result;
  uint8_t* d_packed;
  float *d_scales, *d_out;
  cudaMalloc(&d_packed, packed.size());
  cudaMalloc(&d_scales, scales.size() * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_packed, packed.data(), packed.size(), cudaMemcpyHostToDevice);
  cudaMemcpy(d_scales, scales.data(), scales.size() * sizeof(float), cudaMemcpyHostToDevice);
  dequantise<<<(n + 255) / 256, 256>>>(d_packed, d_scales, d_out, n);
  cudaMemcpy(result.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_packed);
  cudaFree(d_scales);
  cudaFree(d_out);
  return result;
}

}  // namespace q4
//: file dequantise.hpp
#pragma once
#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace q4 {
constexpr int kGroup = 32;
std::vector<float> dequantise_host(const std::vector<uint8_t>& packed, const std::vector<float>& scales);
}  // namespace q4
//: file CMakeLists.txt
cmake_minimum_required(VERSION 3.20)
project(q4 LANGUAGES CXX CUDA)
add_library(q4 dequantise_rows.cu)
set_target_properties(q4 PROPERTIES CUDA_STANDARD 17)
