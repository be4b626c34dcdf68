//: defect largest-of-negatives-is-zero: own-check
//- float best = -INFINITY;
//+ float best = 0.f;
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

__global__ void largest_of_rows(const float* x, float* largest, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float best = -INFINITY;
  for (int k = 0; k < columns; ++k) best = fmaxf(best, x[row * columns + k]);
  largest[row] = best;
}

int main() {
  const int rows = 45, columns = 17;
  std::vector<float> x(rows * columns), largest(rows);
  for (int i = 0; i < rows * columns; ++i) x[i] = -1.f - (i * 37 % 101) * 0.125f;
  float *device_x, *device_largest;
  cudaMalloc(&device_x, x.size() * sizeof(float));
  cudaMalloc(&device_largest, rows * sizeof(float));
  cudaMemcpy(device_x, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice);
  largest_of_rows<<<1, 64>>>(device_x, device_largest, rows, columns);
  cudaMemcpy(largest.data(), device_largest, rows * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(device_x);
  cudaFree(device_largest);
  for (int row = 0; row < rows; ++row) {
    float best = x[row * columns];
    for (int k = 1; k < columns; ++k) best = std::max(best, x[row * columns + k]);
    if (best != largest[row]) {
      printf("FAILED in row %d: %f is not %f\n", row, largest[row], best);
      return 1;
    }
  }
  printf("PASSED\n");
  return 0;
}
