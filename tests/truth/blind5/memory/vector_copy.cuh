//: defect alignment-is-not-asked-for: misaligned
//- const bool vectors = count % 4 == 0 && ((uintptr_t)from % 16 == 0) && ((uintptr_t)to % 16 == 0);
//+ const bool vectors = count % 4 == 0;
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

template <typename Vec>
__global__ void scaled_copy_kernel(const float *from, float *to, float factor, int vec_count) {
  const int lanes = sizeof(Vec) / sizeof(float);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= vec_count) return;
  Vec v = reinterpret_cast<const Vec *>(from)[i];
  float *parts = reinterpret_cast<float *>(&v);
  for (int k = 0; k < lanes; k++) parts[k] *= factor;
  reinterpret_cast<Vec *>(to)[i] = v;
}

static inline void scaled_copy(const float *from, float *to, float factor, int count) {
  const bool vectors = count % 4 == 0 && ((uintptr_t)from % 16 == 0) && ((uintptr_t)to % 16 == 0);
  if (vectors) {
    scaled_copy_kernel<float4><<<(count / 4 + 63) / 64, 64>>>(from, to, factor, count / 4);
  } else {
    scaled_copy_kernel<float><<<(count + 63) / 64, 64>>>(from, to, factor, count);
  }
}
//: file check_copy.cu
#include <cstdio>
#include <vector>

#include "vector_copy.cuh"

static bool check(int offset, int count) {
  std::vector<float> x(count + offset), y(count + offset, -1.f);
  for (int i = 0; i < count + offset; i++) x[i] = i;
  float *dx, *dy;
  const size_t bytes = (count + offset) * sizeof(float);
  cudaMalloc(&dx, bytes);
  cudaMalloc(&dy, bytes);
  cudaMemcpy(dx, x.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(dy, y.data(), bytes, cudaMemcpyHostToDevice);
  scaled_copy(dx + offset, dy + offset, 2.f, count);
  cudaMemcpy(y.data(), dy, bytes, cudaMemcpyDeviceToHost);
  cudaFree(dx);
  cudaFree(dy);
  for (int i = 0; i < count; i++)
    if (y[offset + i] != 2.f * x[offset + i]) return false;
  return true;
}

int main() {
  if (!check(0, 256) || !check(0, 30) || !check(1, 100)) {
    std::fprintf(stderr, "copy is wrong\n");
    return 1;
  }
  return 0;
}
