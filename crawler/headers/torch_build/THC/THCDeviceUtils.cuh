// PyTorch's helpers of kernels, where they stood until it dropped this folder.
// Rule: THC/THCDeviceUtils.cuh of PyTorch 1.13.
#pragma once
#include <ATen/ceil_div.h>
#include <ATen/cuda/DeviceUtils.cuh>

template <typename T>
__host__ __device__ __forceinline__ T THCCeilDiv(T a, T b) {
  return at::ceil_div(a, b);
}
template <typename T>
__host__ __device__ __forceinline__ T THCRoundUp(T a, T b) {
  return at::ceil_div(a, b) * b;
}
