//: defect reads-beyond-the-end: out-of-bounds
//- float right = i < n - 1 ? in[i + 1] : 0.0f;
//+ float right = in[i + 1];
//: defect reads-before-the-begin: out-of-bounds
//- float left = i > 0 ? in[i - 1] : 0.0f;
//+ float left = in[i - 1];
#include <cuda_runtime.h>

__global__ void heat_step(const float *in, float *out, float alpha, int n) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  float left = i > 0 ? in[i - 1] : 0.0f;
  float right = i < n - 1 ? in[i + 1] : 0.0f;
  out[i] = in[i] + alpha * (left - 2.0f * in[i] + right);
}

void simulate(float *host, int n, int steps) {
  float *now, *next;
  cudaMalloc(&now, sizeof(float) * n);
  cudaMalloc(&next, sizeof(float) * n);
  cudaMemcpy(now, host, sizeof(float) * n, cudaMemcpyHostToDevice);
  const int threads = 128;
  heat_step<<<(n + threads - 1) / threads, threads>>>(now, next, 0.1f, n);
  cudaMemcpy(host, next, sizeof(float) * n, cudaMemcpyDeviceToHost);
  cudaFree(now);
  cudaFree(next);
}
