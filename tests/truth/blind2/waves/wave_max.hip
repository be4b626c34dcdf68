//: defect tail-lanes-leave-before-the-shuffle: inactive-lane|divergent-warp|excluded-caller
//- int value = i < n ? values[i] : INT_MIN;
//+ if (i >= n) return; int value = values[i];
//: defect partial-results-of-other-waves-are-missing: race|uninitialised-read
//-   __syncthreads();
//-   if (threadIdx.x == 0) {
//+   if (threadIdx.x == 0) {
//: defect one-slot-for-all-waves: race|order-dependent
//- if (threadIdx.x % warpSize == 0) best[threadIdx.x / warpSize] = value;
//+ if (threadIdx.x % warpSize == 0) best[0] = value;
#include <hip/hip_runtime.h>
#include <limits.h>

__global__ void block_maximum(const int* values, int* maxima, int n) {
  __shared__ int best[16];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 16) best[threadIdx.x] = INT_MIN;
  __syncthreads();
  int value = i < n ? values[i] : INT_MIN;
  for (int offset = warpSize / 2; offset > 0; offset /= 2) {
    const int other = __shfl_down(value, offset);
    value = other > value ? other : value;
  }
  if (threadIdx.x % warpSize == 0) best[threadIdx.x / warpSize] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    int winner = best[0];
    for (int w = 1; w < 16; ++w) winner = best[w] > winner ? best[w] : winner;
    maxima[blockIdx.x] = winner;
  }
}

int find_block_maxima(const int* host_values, int n, int* host_maxima) {
  const int blocks = (n + 255) / 256;
  if (blocks == 0) return 0;
  int *values, *maxima;
  hipMalloc((void**)&values, n * sizeof(int));
  hipMalloc((void**)&maxima, blocks * sizeof(int));
  hipMemcpy(values, host_values, n * sizeof(int), hipMemcpyHostToDevice);
  hipLaunchKernelGGL(block_maximum, dim3(blocks), dim3(256), 0, 0, values, maxima, n);
  hipMemcpy(host_maxima, maxima, blocks * sizeof(int), hipMemcpyDeviceToHost);
  hipFree(values);
  hipFree(maxima);
  return blocks;
}
