//: defect sizes-of-any-kind-are-read-in-fours: out-of-bounds|misaligned
//- const int quads = n / 4;
//+ const int quads = (n + 3) / 4;
//: defect last-values-are-counted-twice: race|order-dependent
//- for (int k = quads * 4 + i; k < n; k += threads) y[k] = a * x[k] + b * y[k];
//+ for (int k = i; k < n; k += threads) y[k] = a * x[k] + b * y[k];
#include <cuda_runtime.h>

// x and y come from cudaMalloc.
__global__ void axpby(float a, const float* __restrict__ x, float b, float* __restrict__ y, int n) {
  const int threads = gridDim.x * blockDim.x;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int quads = n / 4;
  const float4* x4 = reinterpret_cast<const float4*>(x);
  float4* y4 = reinterpret_cast<float4*>(y);
  for (int k = i; k < quads; k += threads) {
    const float4 u = x4[k];
    float4 v = y4[k];
    v.x = a * u.x + b * v.x;
    v.y = a * u.y + b * v.y;
    v.z = a * u.z + b * v.z;
    v.w = a * u.w + b * v.w;
    y4[k] = v;
  }
  for (int k = quads * 4 + i; k < n; k += threads) y[k] = a * x[k] + b * y[k];
}

void blend(float a, const float* host_x, float b, float* host_y, int n) {
  if (n <= 0) return;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemcpy(x, host_x, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(y, host_y, n * sizeof(float), cudaMemcpyHostToDevice);
  const int blocks = (n + 1023) / 1024;
  axpby<<<blocks, 256>>>(a, x, b, y, n);
  cudaMemcpy(host_y, y, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
}
