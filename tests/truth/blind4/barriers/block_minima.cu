//: defect threads-behind-the-end-leave-before-the-barrier: divergent-barrier|uninitialised-read
//- smallest[threadIdx.x] = i < n ? keys[i] : INT_MAX;
//+ if (i >= n) return;
//+   smallest[threadIdx.x] = keys[i];
#include <climits>
#include <cuda_runtime.h>

__global__ void block_minima(const int* keys, int* minima, int n) {
  __shared__ int smallest[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  smallest[threadIdx.x] = i < n ? keys[i] : INT_MAX;
  __syncthreads();
  for (int half = 128; half > 0; half >>= 1) {
    if (threadIdx.x < half) {
      const int other = smallest[threadIdx.x + half];
      if (other < smallest[threadIdx.x]) smallest[threadIdx.x] = other;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) minima[blockIdx.x] = smallest[0];
}

bool find_minima(const int* host_keys, int* host_minima, int n) {
  if (n <= 0) return false;
  const int blocks = (n + 255) / 256;
  int *keys, *minima;
  if (cudaMalloc(&keys, sizeof(int) * n) != cudaSuccess) return false;
  if (cudaMalloc(&minima, sizeof(int) * blocks) != cudaSuccess) return false;
  cudaMemcpy(keys, host_keys, sizeof(int) * n, cudaMemcpyHostToDevice);
  block_minima<<<blocks, 256>>>(keys, minima, n);
  cudaMemcpy(host_minima, minima, sizeof(int) * blocks, cudaMemcpyDeviceToHost);
  cudaFree(keys);
  cudaFree(minima);
  return true;
}
