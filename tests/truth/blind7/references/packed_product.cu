//: defect diagonal-is-counted-twice: own-check|wrong-value
//- for (int c = row + 1; c < n; c++) sum += packed[c * (c + 1) / 2 + row] * x[c];
//+ for (int c = row; c < n; c++) sum += packed[c * (c + 1) / 2 + row] * x[c];
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

/* y = A x for a symmetric A, of which the lower triangle is stored row by row */
__global__ void packed_product(const double *packed, const double *x, double *y, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  double sum = 0;
  for (int c = 0; c <= row; c++) sum += packed[row * (row + 1) / 2 + c] * x[c];
  for (int c = row + 1; c < n; c++) sum += packed[c * (c + 1) / 2 + row] * x[c];
  y[row] = sum;
}

static void packed_product_cpu(const double *packed, const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) y[i] = 0;
  for (int r = 0; r < n; r++)
    for (int c = 0; c <= r; c++) {
      double a = *packed++;
      y[r] += a * x[c];
      if (c != r) y[c] += a * x[r];
    }
}

int main(void) {
  int n = 75, entries = n * (n + 1) / 2;
  double *packed = (double *)malloc(entries * sizeof(double)), *x = (double *)malloc(n * sizeof(double));
  double *y = (double *)malloc(n * sizeof(double)), *reference = (double *)malloc(n * sizeof(double));
  for (int i = 0; i < entries; i++) packed[i] = (i * 31 % 50) / 25.0;
  for (int i = 0; i < n; i++) x[i] = 1.0 / (1 + i);
  double *d_packed, *d_x, *d_y;
  cudaMalloc((void **)&d_packed, entries * sizeof(double));
  cudaMalloc((void **)&d_x, n * sizeof(double));
  cudaMalloc((void **)&d_y, n * sizeof(double));
  cudaMemcpy(d_packed, packed, entries * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(d_x, x, n * sizeof(double), cudaMemcpyHostToDevice);
  packed_product<<<(n + 31) / 32, 32>>>(d_packed, d_x, d_y, n);
  cudaMemcpy(y, d_y, n * sizeof(double), cudaMemcpyDeviceToHost);
  packed_product_cpu(packed, x, reference, n);
  double difference = 0;
  for (int i = 0; i < n; i++) {
    double d = y[i] > reference[i] ? y[i] - reference[i] : reference[i] - y[i];
    if (d > difference) difference = d;
  }
  printf("largest difference between CPU and GPU: %e\n", difference);
  cudaFree(d_packed);
  cudaFree(d_x);
  cudaFree(d_y);
  free(packed);
  free(x);
  free(y);
  free(reference);
  return 0;
}
