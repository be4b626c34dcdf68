//: defect count-begins-with-what-was-there: uninitialised-read
//- cudaMemset(count, 0, sizeof(int));
//+
#include <cuda_runtime.h>

__global__ void count_above(const float* values, int n, float threshold, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && values[i] > threshold) atomicAdd(count, 1);
}

int count_values_above(const float* host_values, int n, float threshold) {
  if (n <= 0) return 0;
  float* values;
  int *count, result = 0;
  cudaMalloc(&values, n * sizeof(float));
  cudaMalloc(&count, sizeof(int));
  cudaMemcpy(values, host_values, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(count, 0, sizeof(int));
  count_above<<<(n + 127) / 128, 128>>>(values, n, threshold, count);
  cudaMemcpy(&result, count, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(values);
  cudaFree(count);
  return result;
}
