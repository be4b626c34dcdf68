//: defect multiplies-signed-numbers: integer-overflow
//- unsigned state = seed + i;
//+ int state = int(seed) + i;
#include <cuda_runtime.h>

__global__ void random_uniform(float *out, unsigned seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned state = seed + i;
  for (int round = 0; round < 4; ++round) state = state * 1664525 + 1013904223;
  out[i] = (state & 0xffffff) / 16777216.0f;
}

void fill(float *result, unsigned seed, int n) {
  float *d_out;
  cudaMalloc(&d_out, n * sizeof(float));
  random_uniform<<<(n + 127) / 128, 128>>>(d_out, seed, n);
  cudaMemcpy(result, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_out);
}
