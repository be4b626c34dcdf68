//: defect counts-without-atomics: race
//- atomicAdd(&bins[data[i]], 1u);
//+ bins[data[i]]++;
//: defect bins-begin-with-rubbish: uninitialised-read
//- bins[threadIdx.x] = 0;
//+
//: defect counts-before-all-are-cleared: race
//- __syncthreads();  // cleared
//+
//: defect adds-up-without-atomics: race
//- atomicAdd(&total[threadIdx.x], bins[threadIdx.x]);
//+ total[threadIdx.x] += bins[threadIdx.x];
//: defect result-begins-with-rubbish: uninitialised-read
//- cudaMemset(d_total, 0, 256 * sizeof(unsigned));
//+
#include <cuda_runtime.h>

__global__ void histogram256(const unsigned char *data, unsigned *total, int n) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();  // cleared
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[data[i]], 1u);
  __syncthreads();
  atomicAdd(&total[threadIdx.x], bins[threadIdx.x]);
}

void histogram(const unsigned char *bytes, unsigned *counts, int n) {
  unsigned char *d_data;
  unsigned *d_total;
  cudaMalloc(&d_data, n);
  cudaMalloc(&d_total, 256 * sizeof(unsigned));
  cudaMemcpy(d_data, bytes, n, cudaMemcpyHostToDevice);
  cudaMemset(d_total, 0, 256 * sizeof(unsigned));
  histogram256<<<(n + 255) / 256, 256>>>(d_data, d_total, n);
  cudaMemcpy(counts, d_total, 256 * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(d_data);
  cudaFree(d_total);
}
