//: defect lanes-behind-the-end-do-not-vote: inactive-lane|divergent-warp|excluded-caller
//- const unsigned word = __ballot_sync(0xffffffffu, i < n && x[i] < 0);
//-   if (i < n && threadIdx.x % 32 == 0) words[i / 32] = word;
//+ if (i < n) {
//+     const unsigned word = __ballot_sync(0xffffffffu, x[i] < 0);
//+     if (threadIdx.x % 32 == 0) words[i / 32] = word;
//+   }
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
