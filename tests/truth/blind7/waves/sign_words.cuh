//: defect lanes-set-their-bits-by-themselves: race|uninitialised-read|order-dependent
//- if (i < n && threadIdx.x % 32 == 0) words[i / 32] = word;
//+ if (i < n && (word >> threadIdx.x % 32 & 1)) words[i / 32] |= 1u << threadIdx.x % 32;
#pragma once

#include <cstdint>

// One bit for each value that is negative, 32 of them in a word. Launch with whole warps.
template <typename T>
__global__ void pack_signs(const T* __restrict__ x, uint32_t* __restrict__ words, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned word = __ballot_sync(0xffffffffu, i < n && x[i] < 0);
  if (i < n && threadIdx.x % 32 == 0) words[i / 32] = word;
}

template __global__ void pack_signs<float>(const float*, uint32_t*, int);
