//: defect second-factor-is-read-by-its-rows: own-check
//- sum += a[row * n + k] * b[k * n + column];
//+ sum += a[row * n + k] * b[column * n + k];
#include <cuda_runtime.h>

#include <cmath>
#include <iostream>
#include <vector>

__global__ void square_product(const double* a, const double* b, double* c, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || column >= n) return;
  double sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += a[row * n + k] * b[k * n + column];
  }
  c[row * n + column] = sum;
}

bool verify(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c, int n) {
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column < n; ++column) {
      double expected = 0;
      for (int k = 0; k < n; ++k) expected += a[row * n + k] * b[k * n + column];
      if (std::abs(expected - c[row * n + column]) > 1e-9) return false;
    }
  }
  return true;
}

int main() {
  const int n = 29;
  const size_t bytes = sizeof(double) * n * n;
  std::vector<double> a(n * n), b(n * n), c(n * n);
  for (int i = 0; i < n * n; ++i) {
    a[i] = i % 5 - 2;
    b[i] = i % 6 * 0.5;
  }
  double *device_a, *device_b, *device_c;
  cudaMalloc(&device_a, bytes);
  cudaMalloc(&device_b, bytes);
  cudaMalloc(&device_c, bytes);
  cudaMemcpy(device_a, a.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), bytes, cudaMemcpyHostToDevice);
  square_product<<<dim3((n + 7) / 8, (n + 7) / 8), dim3(8, 8)>>>(device_a, device_b, device_c, n);
  cudaMemcpy(c.data(), device_c, bytes, cudaMemcpyDeviceToHost);
  cudaFree(device_a);
  cudaFree(device_b);
  cudaFree(device_c);
  if (!verify(a, b, c, n)) {
    std::cerr << "Test FAILED" << std::endl;
    return 1;
  }
  std::cout << "Test PASSED" << std::endl;
  return 0;
}
