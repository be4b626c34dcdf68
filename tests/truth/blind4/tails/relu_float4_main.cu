//: defect last-four-are-taken-whole: out-of-bounds
//- const int fours = n / 4;
//+ const int fours = (n + 3) / 4;
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

__global__ void relu_fours(float4* x, int fours) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= fours) return;
  float4 v = x[i];
  v.x = fmaxf(v.x, 0.f);
  v.y = fmaxf(v.y, 0.f);
  v.z = fmaxf(v.z, 0.f);
  v.w = fmaxf(v.w, 0.f);
  x[i] = v;
}

__global__ void relu_rest(float* x, int begin, int n) {
  const int i = begin + threadIdx.x;
  if (i < n) x[i] = fmaxf(x[i], 0.f);
}

int main() {
  const int n = 1023;
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i) host[i] = (i % 7 - 3) * 0.5f;
  float* x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  const int fours = n / 4;
  relu_fours<<<(fours + 127) / 128, 128>>>(reinterpret_cast<float4*>(x), fours);
  relu_rest<<<1, 4>>>(x, n / 4 * 4, n);
  cudaMemcpy(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(x);
  printf("%f\n", host[n - 1]);
  return 0;
}
