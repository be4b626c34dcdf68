//: defect leader-is-always-lane-zero: inactive-lane|divergent-warp|excluded-caller|uninitialised-read
//- const int leader = __ffs(mask) - 1;
//+ const int leader = 0;
//: defect places-are-counted-without-the-lanes-before: race|order-dependent|overwrite|uninitialised-read|uninitialised-output
//- return __shfl_sync(mask, base, leader) + __popc(mask & ((1u << lane) - 1));
//+ return __shfl_sync(mask, base, leader) + __popc(mask & (1u << lane)) - 1;
#include <cuda_runtime.h>

__device__ int take_place(int* counter) {
  const unsigned mask = __activemask();
  const int lane = threadIdx.x & 31;
  const int leader = __ffs(mask) - 1;
  int base = 0;
  if (lane == leader) base = atomicAdd(counter, __popc(mask));
  return __shfl_sync(mask, base, leader) + __popc(mask & ((1u << lane) - 1));
}

// Keeps a tag for each row above the threshold; the order is free, and so is the row that it comes from.
__global__ void filter_rows(const float* __restrict__ values, float threshold, unsigned char* kept, int* counter,
                            int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && values[i] > threshold) kept[take_place(counter)] = 1;
}

int filter(const float* host_values, int n, float threshold, unsigned char* host_kept) {
  if (n <= 0) return 0;
  float* values;
  unsigned char* kept;
  int* counter;
  int count = 0;
  cudaMalloc(&values, n * sizeof(float));
  cudaMalloc(&kept, n);
  cudaMalloc(&counter, sizeof(int));
  cudaMemcpy(values, host_values, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(kept, 0, n);
  cudaMemset(counter, 0, sizeof(int));
  filter_rows<<<(n + 63) / 64, 64>>>(values, threshold, kept, counter, n);
  cudaMemcpy(&count, counter, sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(host_kept, kept, n, cudaMemcpyDeviceToHost);
  cudaFree(values);
  cudaFree(kept);
  cudaFree(counter);
  return count;
}
