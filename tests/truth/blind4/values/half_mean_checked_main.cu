//: defect sum-is-kept-in-half: own-check
//- float sum = 0.f;
//+ __half sum = __float2half(0.f);
//- sum += __half2float(x[row * columns + k]);
//+ sum = __hadd(sum, x[row * columns + k]);
//- means[row] = sum / columns;
//+ means[row] = __half2float(sum) / columns;
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void mean_of_halves(const __half* x, float* means, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.f;
  for (int k = 0; k < columns; ++k) {
    sum += __half2float(x[row * columns + k]);
  }
  means[row] = sum / columns;
}

int main() {
  const int rows = 5, columns = 4099;
  std::vector<__half> x(rows * columns);
  std::vector<float> means(rows);
  for (int i = 0; i < rows * columns; ++i) x[i] = __float2half(1.f + (i % 8) * 0.125f);
  __half* device_x;
  float* device_means;
  cudaMalloc(&device_x, x.size() * sizeof(__half));
  cudaMalloc(&device_means, rows * sizeof(float));
  cudaMemcpy(device_x, x.data(), x.size() * sizeof(__half), cudaMemcpyHostToDevice);
  mean_of_halves<<<1, 32>>>(device_x, device_means, rows, columns);
  cudaMemcpy(means.data(), device_means, rows * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device_x);
  cudaFree(device_means);
  int errors = 0;
  for (int row = 0; row < rows; ++row) {
    double expected = 0;
    for (int k = 0; k < columns; ++k) expected += __half2float(x[row * columns + k]);
    if (std::fabs(means[row] - expected / columns) > 1e-3) ++errors;
  }
  if (errors) {
    fprintf(stderr, "%d of %d rows are wrong\n", errors, rows);
    return EXIT_FAILURE;
  }
  printf("all rows are right\n");
  return EXIT_SUCCESS;
}
