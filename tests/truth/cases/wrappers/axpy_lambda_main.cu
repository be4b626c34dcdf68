//: defect reads-the-right-neighbour: out-of-bounds
//- [=] __device__(int i) { y[i] = a * x[i] + y[i]; }
//+ [=] __device__(int i) { y[i] = a * x[i + 1] + y[i]; }
//: defect guards-nothing: out-of-bounds
//- if (i < n) body(i);
//+ body(i);
//: defect adds-to-what-nobody-wrote: uninitialised-read
//- cudaMemcpy(d_y, y, n * sizeof(float), cudaMemcpyHostToDevice);
//+
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

template <typename Body>
__global__ void for_each_index(int n, Body body) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) body(i);
}

template <typename Body>
void forall(int n, Body &&body) {
  if (n > 0) for_each_index<<<(n + 255) / 256, 256>>>(n, body);
}

void axpy(int n, float a, const float *x, float *y) {
  forall(n, [=] __device__(int i) { y[i] = a * x[i] + y[i]; });
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100000;
  std::vector<float> values(n, 1.0f);
  float *x = values.data();
  float *y = x;
  float *d_x, *d_y;
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMalloc(&d_y, n * sizeof(float));
  cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_y, y, n * sizeof(float), cudaMemcpyHostToDevice);
  axpy(n, 2.0f, d_x, d_y);
  cudaMemcpy(y, d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
  float error = 0.0f;
  for (int i = 0; i < n; i++) error = fmaxf(error, fabsf(y[i] - 3.0f));
  printf("max error: %f\n", error);
  cudaFree(d_x);
  cudaFree(d_y);
  return error > 1e-5f;
}
