//: defect own-sums-are-not-cleared: uninitialised-read
//- for (int k = threadIdx.x; k < KEYS; k += blockDim.x) local[k] = 0;
//+
//: defect sums-are-handed-on-too-early: race
//- __syncthreads();  // all rows are counted
//+
//: defect keys-are-believed: array-bounds|out-of-bounds
//- if (key >= 0 && key < KEYS) atomicAdd(&local[key], amounts[i]);
//+ if (key >= 0) atomicAdd(&local[key], amounts[i]);
#include <cuda_runtime.h>

#define KEYS 24

__global__ void group_by_sum(const int* __restrict__ keys, const unsigned* __restrict__ amounts, unsigned* sums, int n) {
  __shared__ unsigned local[KEYS];
  for (int k = threadIdx.x; k < KEYS; k += blockDim.x) local[k] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const int key = keys[i];
    if (key >= 0 && key < KEYS) atomicAdd(&local[key], amounts[i]);
  }
  __syncthreads();  // all rows are counted
  for (int k = threadIdx.x; k < KEYS; k += blockDim.x) {
    if (local[k] != 0) atomicAdd(&sums[k], local[k]);
  }
}

// `keys` and `amounts` have n entries on the device, `sums` has KEYS.
cudaError_t aggregate(const int* keys, const unsigned* amounts, unsigned* sums, int n, cudaStream_t stream) {
  cudaError_t status = cudaMemsetAsync(sums, 0, KEYS * sizeof(unsigned), stream);
  if (status != cudaSuccess || n <= 0) return status;
  const int blocks = n < 16 * 128 ? (n + 127) / 128 : 16;
  group_by_sum<<<blocks, 128, 0, stream>>>(keys, amounts, sums, n);
  return cudaGetLastError();
}
