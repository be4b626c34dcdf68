//: defect ends-have-neighbours-on-both-sides: out-of-bounds
//- if (i >= size - 1 || i == 0) return;
//+ if (i >= size) return;
#include <math.h>
#include <stdio.h>

#include <cuda_runtime.h>

#define TPB 64

__global__ void second_derivative(float *d_out, const float *d_in, int size, float h) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= size - 1 || i == 0) return;
  d_out[i] = (d_in[i - 1] + d_in[i + 1] - 2.f * d_in[i]) / (h * h);
}

int main() {
  const float PI = 3.1415927f;
  const int n = 150;
  const float h = 2 * PI / n;
  float in[n], out[n] = {0.f};
  for (int i = 0; i < n; ++i) in[i] = sinf(i * h);
  float *d_in = 0, *d_out = 0;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_in, in, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_out, out, n * sizeof(float), cudaMemcpyHostToDevice);
  second_derivative<<<(n + TPB - 1) / TPB, TPB>>>(d_out, d_in, n, h);
  cudaMemcpy(out, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 1; i < n - 1; i += 20) printf("%f,%f,%f\n", i * h, in[i], out[i]);
  cudaFree(d_in);
  cudaFree(d_out);
  return 0;
}
