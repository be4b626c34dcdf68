//: defect result-begins-with-rubbish: uninitialised-read
//- cudaMemset(d_result, 0, sizeof(float));
//+
//: defect blocks-overwrite-each-other: race|order-dependent
//- if (threadIdx.x == 0) atomicAdd(result, partial[0]);
//+ if (threadIdx.x == 0) *result += partial[0];
//: defect every-thread-adds: race
//- if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
//+ if (threadIdx.x + s < blockDim.x) partial[threadIdx.x] += partial[threadIdx.x + s];
#include <cuda_runtime.h>

__global__ void dot_product(const float *a, const float *b, float *result, int n) {
  __shared__ float partial[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += a[i] * b[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s /= 2) {
    if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(result, partial[0]);
}

float dot(const float *a, const float *b, int n) {
  float *d_a, *d_b, *d_result, result;
  cudaMalloc(&d_a, n * sizeof(float));
  cudaMalloc(&d_b, n * sizeof(float));
  cudaMalloc(&d_result, sizeof(float));
  cudaMemcpy(d_a, a, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_result, 0, sizeof(float));
  int blocks = (n + 255) / 256 < 64 ? (n + 255) / 256 : 64;
  dot_product<<<blocks, 256>>>(d_a, d_b, d_result, n);
  cudaMemcpy(&result, d_result, sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_result);
  return result;
}
