//: defect variance-is-the-biased-one: own-check
//- variance[c] = squares / (rows - 1);
//+ variance[c] = squares / rows;
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

__global__ void columnVariance(const float *x, float *variance, int rows, int columns) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= columns) return;
  float mean = 0.0f, squares = 0.0f;
  for (int r = 0; r < rows; r++) {
    float delta = x[r * columns + c] - mean;
    mean += delta / (r + 1);
    squares += delta * (x[r * columns + c] - mean);
  }
  variance[c] = squares / (rows - 1);
}

void columnVarianceHost(const float *x, float *reference, int rows, int columns) {
  for (int c = 0; c < columns; c++) {
    double sum = 0, squares = 0;
    for (int r = 0; r < rows; r++) sum += x[r * columns + c];
    for (int r = 0; r < rows; r++) squares += pow(x[r * columns + c] - sum / rows, 2);
    reference[c] = squares / (rows - 1);
  }
}

int main(int argc, char **argv) {
  printf("[%s] - Starting...\n", argv[0]);
  int rows = 31, columns = 70;
  float *h_x = (float *)malloc(rows * columns * sizeof(float));
  float *h_variance = (float *)malloc(columns * sizeof(float));
  float *h_reference = (float *)malloc(columns * sizeof(float));
  srand(2006);
  for (int i = 0; i < rows * columns; i++) h_x[i] = rand() / (float)RAND_MAX;
  float *d_x, *d_variance;
  cudaMalloc((void **)&d_x, rows * columns * sizeof(float));
  cudaMalloc((void **)&d_variance, columns * sizeof(float));
  cudaMemcpy(d_x, h_x, rows * columns * sizeof(float), cudaMemcpyHostToDevice);
  columnVariance<<<(columns + 31) / 32, 32>>>(d_x, d_variance, rows, columns);
  cudaDeviceSynchronize();
  cudaMemcpy(h_variance, d_variance, columns * sizeof(float), cudaMemcpyDeviceToHost);
  columnVarianceHost(h_x, h_reference, rows, columns);
  bool passed = true;
  for (int i = 0; i < columns; i++)
    if (fabs(h_variance[i] - h_reference[i]) > 1e-5 * h_reference[i]) passed = false;
  printf(passed ? "Test passed\n" : "Test failed!\n");
  cudaFree(d_x);
  cudaFree(d_variance);
  free(h_x);
  free(h_variance);
  free(h_reference);
  return 0;
}
