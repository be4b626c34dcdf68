//: defect sum-begins-with-rubbish: uninitialised-read
//- float sum = 0.0f;
//+ float sum;
//: defect best-begins-with-rubbish: uninitialised-read
//- float best = x[row * cols];
//+ float best;
#include <cuda_runtime.h>

__global__ void row_statistics(const float *x, float *sums, float *maxima, int rows, int cols) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0.0f;
  float best = x[row * cols];
  for (int j = 0; j < cols; ++j) {
    float value = x[row * cols + j];
    sum += value;
    if (value > best) best = value;
  }
  sums[row] = sum;
  maxima[row] = best;
}

void statistics(const float *x, float *sums, float *maxima, int rows, int cols) {
  float *d_x, *d_sums, *d_maxima;
  cudaMalloc(&d_x, rows * cols * sizeof(float));
  cudaMalloc(&d_sums, rows * sizeof(float));
  cudaMalloc(&d_maxima, rows * sizeof(float));
  cudaMemcpy(d_x, x, rows * cols * sizeof(float), cudaMemcpyHostToDevice);
  row_statistics<<<(rows + 63) / 64, 64>>>(d_x, d_sums, d_maxima, rows, cols);
  cudaMemcpy(sums, d_sums, rows * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(maxima, d_maxima, rows * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_x);
  cudaFree(d_sums);
  cudaFree(d_maxima);
}
