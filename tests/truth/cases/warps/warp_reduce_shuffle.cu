//: defect half-of-the-lanes-shuffle: divergent-warp|inactive-lane|excluded-caller
//- for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
//+ if (threadIdx.x % 32 < 16)
//+     for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
//: defect a-mask-without-the-upper-lanes: excluded-caller|inactive-lane|divergent-warp
//- for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
//+ for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0x0000ffff, sum, offset);
//: defect threads-beyond-the-end-left: inactive-lane|divergent-warp
//- float sum = i < n ? values[i] : 0.0f;
//+ if (i >= n) return;
//+   float sum = values[i];
#include <cuda_runtime.h>

__global__ void warp_sums(const float *values, float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? values[i] : 0.0f;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 == 0 && i < n) sums[i / 32] = sum;
}

void sum_warps(const float *host, float *result, int n) {
  float *d_values, *d_sums;
  int warps = (n + 31) / 32;
  cudaMalloc(&d_values, n * sizeof(float));
  cudaMalloc(&d_sums, warps * sizeof(float));
  cudaMemcpy(d_values, host, n * sizeof(float), cudaMemcpyHostToDevice);
  warp_sums<<<(n + 127) / 128, 128>>>(d_values, d_sums, n);
  cudaMemcpy(result, d_sums, warps * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_values);
  cudaFree(d_sums);
}
