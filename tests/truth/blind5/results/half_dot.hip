//: defect dot-product-is-kept-in-half: own-check
//- float partial = 0.0f;
//+ __half partial = __float2half(0.0f);
//- partial += __half2float(a[i]) * __half2float(b[i]);
//+ partial = __hadd(partial, __hmul(a[i], b[i]));
//- result[blockIdx.x] = partial;
//+ result[blockIdx.x] = __half2float(partial);
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

// A vector of each batch, one thread for each: no speed is meant, but a reference on the device.
__global__ void dot_reference(const __half* a, const __half* b, float* result, int length) {
  a += blockIdx.x * length;
  b += blockIdx.x * length;
  float partial = 0.0f;
  for (int i = 0; i < length; ++i) {
    partial += __half2float(a[i]) * __half2float(b[i]);
  }
  result[blockIdx.x] = partial;
}

int main() {
  const int batch = 4, length = 3000;
  std::vector<__half> a(batch * length), b(batch * length);
  for (int i = 0; i < batch * length; ++i) {
    a[i] = __float2half(0.5f + (i % 7) * 0.25f);
    b[i] = __float2half(1.0f + (i % 5) * 0.5f);
  }
  __half *d_a, *d_b;
  float* d_result;
  hipMalloc((void**)&d_a, a.size() * sizeof(__half));
  hipMalloc((void**)&d_b, b.size() * sizeof(__half));
  hipMalloc((void**)&d_result, batch * sizeof(float));
  hipMemcpy(d_a, a.data(), a.size() * sizeof(__half), hipMemcpyHostToDevice);
  hipMemcpy(d_b, b.data(), b.size() * sizeof(__half), hipMemcpyHostToDevice);
  dot_reference<<<batch, 1>>>(d_a, d_b, d_result, length);
  std::vector<float> result(batch);
  hipMemcpy(result.data(), d_result, batch * sizeof(float), hipMemcpyDeviceToHost);
  hipFree(d_a);
  hipFree(d_b);
  hipFree(d_result);
  for (int n = 0; n < batch; ++n) {
    double expected = 0;
    for (int i = n * length; i < (n + 1) * length; ++i) expected += (double)__half2float(a[i]) * __half2float(b[i]);
    if (std::abs(expected - result[n]) > 1e-3 * expected) {
      std::printf("batch %d: expected %f, got %f\n", n, expected, result[n]);
      return 1;
    }
  }
  std::printf("PASSED!\n");
  return 0;
}
