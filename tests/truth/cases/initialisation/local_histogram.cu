//: defect counts-begin-with-rubbish: uninitialised-read
//- int counts[4] = {0, 0, 0, 0};
//+ int counts[4];
//: defect a-fifth-count: array-bounds|out-of-bounds
//- int quartile = min(3, int(values[j] * 4.0f));
//+ int quartile = min(4, 1 + int(values[j] * 4.0f));
#include <cuda_runtime.h>

__global__ void quartiles(const float *all, int *result, int groups, int length) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  const float *values = all + g * length;
  int counts[4] = {0, 0, 0, 0};
  for (int j = 0; j < length; ++j) {
    int quartile = min(3, int(values[j] * 4.0f));
    if (quartile >= 0) counts[quartile]++;
  }
  for (int q = 0; q < 4; ++q) result[g * 4 + q] = counts[q];
}

void count_quartiles(const float *host, int *result, int groups, int length) {
  float *d_values;
  int *d_result;
  cudaMalloc(&d_values, groups * length * sizeof(float));
  cudaMalloc(&d_result, groups * 4 * sizeof(int));
  cudaMemcpy(d_values, host, groups * length * sizeof(float), cudaMemcpyHostToDevice);
  quartiles<<<(groups + 127) / 128, 128>>>(d_values, d_result, groups, length);
  cudaMemcpy(result, d_result, groups * 4 * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_values);
  cudaFree(d_result);
}
