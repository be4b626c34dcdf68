//: defect forgets-the-last-barrier: race
//- __syncthreads();
//-   if (t == 0) atomicMin(result, cache[0]);
//+ if (t == 1) atomicMin(result, cache[0]);
//: defect overlapping-strides: race
//- if (t < half) cache[t] = min(cache[t], cache[t + half]);
//+ if (t < half + 1 && t + half < blockDim.x) cache[t] = min(cache[t], cache[t + half]);
//: defect takes-what-nobody-wrote: uninitialised-read
//- cache[t] = i < n ? values[i] : INT_MAX;
//+ if (i < n) cache[t] = values[i];
#include <climits>
#include <cuda_runtime.h>

__global__ void find_min(const int *values, int *result, int n) {
  __shared__ int cache[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  cache[t] = i < n ? values[i] : INT_MAX;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (t < half) cache[t] = min(cache[t], cache[t + half]);
  }
  __syncthreads();
  if (t == 0) atomicMin(result, cache[0]);
}

int minimum(const int *host, int n) {
  int *d_values, *d_result, result = INT_MAX;
  cudaMalloc(&d_values, n * sizeof(int));
  cudaMalloc(&d_result, sizeof(int));
  cudaMemcpy(d_values, host, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_result, &result, sizeof(int), cudaMemcpyHostToDevice);
  find_min<<<(n + 255) / 256, 256>>>(d_values, d_result, n);
  cudaMemcpy(&result, d_result, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_values);
  cudaFree(d_result);
  return result;
}
