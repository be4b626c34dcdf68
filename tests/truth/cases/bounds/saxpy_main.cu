//: defect reads-the-right-neighbour: out-of-bounds
//- y[i] = a * x[i] + y[i];
//+ y[i] = a * x[i + 1] + y[i];
//: defect guards-one-too-many: out-of-bounds
//- if (i < n)
//+ if (i <= n)
//: defect guards-nothing: out-of-bounds
//- if (i < n)
//+
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100000;
  float *x = (float *)malloc(n * sizeof(float));
  float *y = (float *)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) {
    x[i] = 1.0f;
    y[i] = 2.0f;
  }
  float *d_x, *d_y;
  cudaMalloc(&d_x, n * sizeof(float));
  cudaMalloc(&d_y, n * sizeof(float));
  cudaMemcpy(d_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_y, y, n * sizeof(float), cudaMemcpyHostToDevice);
  saxpy<<<(n + 255) / 256, 256>>>(n, 2.0f, d_x, d_y);
  cudaMemcpy(y, d_y, n * sizeof(float), cudaMemcpyDeviceToHost);
  float error = 0.0f;
  for (int i = 0; i < n; i++) error = fmaxf(error, fabsf(y[i] - 4.0f));
  printf("max error: %f\n", error);
  cudaFree(d_x);
  cudaFree(d_y);
  free(x);
  free(y);
  return error > 1e-5f;
}
