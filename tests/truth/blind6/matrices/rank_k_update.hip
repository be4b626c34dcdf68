//: defect beta-scales-the-product: own-check
//- c[row * n + column] = alpha * sum + beta * c[row * n + column];
//+ c[row * n + column] = beta * sum + alpha * c[row * n + column];
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

// C = alpha * A * A^T + beta * C, the lower triangle alone.
template <typename T>
__global__ void syrk_lower(T alpha, const T* a, T beta, T* c, int n, int k) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n || column > row) return;
  T sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * a[column * k + i];
  c[row * n + column] = alpha * sum + beta * c[row * n + column];
}

template <typename T>
bool test_syrk(int n, int k, T alpha, T beta) {
  std::vector<T> a(n * k), c(n * n), expected;
  for (int i = 0; i < n * k; ++i) a[i] = T((i * 17) % 23) / 8 - 1;
  for (int i = 0; i < n * n; ++i) c[i] = T((i * 5) % 19) / 4;
  expected = c;
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column <= row; ++column) {
      double sum = 0;
      for (int i = 0; i < k; ++i) sum += double(a[row * k + i]) * a[column * k + i];
      expected[row * n + column] = T(alpha * sum + beta * c[row * n + column]);
    }
  }
  T *d_a, *d_c;
  (void)hipMalloc(&d_a, a.size() * sizeof(T));
  (void)hipMalloc(&d_c, c.size() * sizeof(T));
  (void)hipMemcpy(d_a, a.data(), a.size() * sizeof(T), hipMemcpyHostToDevice);
  (void)hipMemcpy(d_c, c.data(), c.size() * sizeof(T), hipMemcpyHostToDevice);
  const dim3 block(8, 8), grid((n + 7) / 8, (n + 7) / 8);
  syrk_lower<T><<<grid, block>>>(alpha, d_a, beta, d_c, n, k);
  (void)hipMemcpy(c.data(), d_c, c.size() * sizeof(T), hipMemcpyDeviceToHost);
  (void)hipFree(d_a);
  (void)hipFree(d_c);
  double error = 0, norm = 0;
  for (int i = 0; i < n * n; ++i) {
    error += double(c[i] - expected[i]) * (c[i] - expected[i]);
    norm += double(expected[i]) * expected[i];
  }
  std::cout << "relative error " << std::sqrt(error / norm) << std::endl;
  return std::sqrt(error / norm) < 1e-5;
}

int main() {
  const bool right = test_syrk<float>(21, 10, 0.5f, 2.f) && test_syrk<double>(16, 33, 1.5, -1.0);
  std::cout << (right ? "PASSED" : "FAILED") << std::endl;
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
