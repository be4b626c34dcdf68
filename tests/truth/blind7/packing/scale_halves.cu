//: defect last-half-is-written-as-a-pair: out-of-bounds
//- if (i == 0 && n % 2 == 1) y[n - 1] = __hmul(x[n - 1], __low2half(factor));
//+ if (i == 0 && n % 2 == 1) {
//+     half2 last = __halves2half2(x[n - 1], x[n - 1]);
//+     reinterpret_cast<half2 *>(y)[n / 2] = __hmul2(last, factor);
//+   }
#include <iostream>
#include <vector>

#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

__global__ void scale_halves(const half *x, half *y, int n, float s) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  const half2 factor = __float2half2_rn(s);
  if (i < n / 2)
    reinterpret_cast<half2 *>(y)[i] = __hmul2(reinterpret_cast<const half2 *>(x)[i], factor);
  if (i == 0 && n % 2 == 1) y[n - 1] = __hmul(x[n - 1], __low2half(factor));
}

int run(int n) {
  std::vector<half> host(n);
  for (int i = 0; i < n; ++i) host[i] = __float2half(i * 0.5f);
  half *x, *y;
  if (cudaMalloc(&x, n * sizeof(half)) != cudaSuccess || cudaMalloc(&y, n * sizeof(half)) != cudaSuccess) return 1;
  cudaMemcpy(x, host.data(), n * sizeof(half), cudaMemcpyHostToDevice);
  scale_halves<<<(n / 2 + 128) / 128, 128>>>(x, y, n, 3.f);
  cudaMemcpy(host.data(), y, n * sizeof(half), cudaMemcpyDeviceToHost);
  std::cout << n << " values, the last is " << __half2float(host.back()) << "\n";
  cudaFree(x);
  cudaFree(y);
  return 0;
}

int main() { return run(256) + run(301); }
