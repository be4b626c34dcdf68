//: defect buffers-are-not-exchanged-after-the-last-step: own-check
//- std::swap(d_now, d_next);
//+ if (step + 1 < steps) std::swap(d_now, d_next);
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

__global__ void cool(const double* now, double* next, int n, double rate) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (i == 0 || i == n - 1) {
    next[i] = now[i];
    return;
  }
  next[i] = now[i] + rate * (now[i - 1] - 2 * now[i] + now[i + 1]);
}

int main() {
  const int n = 200, steps = 5;
  const double rate = 0.2;
  std::vector<double> start(n), expected, result(n);
  for (int i = 0; i < n; ++i) start[i] = 20 + 60 * (i > n / 3 && i < n / 2);
  expected = start;
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> before = expected;
    for (int i = 1; i < n - 1; ++i) expected[i] = before[i] + rate * (before[i - 1] - 2 * before[i] + before[i + 1]);
  }

  double *d_now, *d_next;
  cudaMalloc(&d_now, n * sizeof(double));
  cudaMalloc(&d_next, n * sizeof(double));
  cudaMemcpy(d_now, start.data(), n * sizeof(double), cudaMemcpyHostToDevice);
  for (int step = 0; step < steps; ++step) {
    cool<<<(n + 63) / 64, 64>>>(d_now, d_next, n, rate);
    std::swap(d_now, d_next);
  }
  cudaMemcpy(result.data(), d_now, n * sizeof(double), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int i = 0; i < n; ++i) worst = std::fmax(worst, std::fabs(result[i] - expected[i]));
  cudaFree(d_now);
  cudaFree(d_next);
  if (worst > 1e-9) {
    std::printf("FAILED: off by %g\n", worst);
    return 1;
  }
  std::printf("PASSED\n");
  return 0;
}
