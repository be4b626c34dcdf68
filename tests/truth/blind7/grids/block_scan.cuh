//: defect values-are-added-while-others-read-them: race
//- const T other = threadIdx.x >= step ? shared[threadIdx.x - step] : T(0);
//-     __syncthreads();
//-     shared[threadIdx.x] += other;
//+ if (threadIdx.x >= step) shared[threadIdx.x] += shared[threadIdx.x - step];
#pragma once

#include <cstddef>

// Inclusive sums within each block; the totals of blocks go to `totals`.
template <typename T, unsigned BLOCK = 256>
__global__ void scan_blocks(const T *__restrict__ in, T *__restrict__ out, T *__restrict__ totals, size_t n) {
  __shared__ T shared[BLOCK];
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  shared[threadIdx.x] = i < n ? in[i] : T(0);
  __syncthreads();
  for (unsigned step = 1; step < BLOCK; step *= 2) {
    const T other = threadIdx.x >= step ? shared[threadIdx.x - step] : T(0);
    __syncthreads();
    shared[threadIdx.x] += other;
    __syncthreads();
  }
  if (i < n) out[i] = shared[threadIdx.x];
  if (threadIdx.x == BLOCK - 1) totals[blockIdx.x] = shared[threadIdx.x];
}

template __global__ void scan_blocks<int, 128>(const int *, int *, int *, size_t);
