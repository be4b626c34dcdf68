//: defect row-takes-the-next-ones-first: out-of-bounds|own-check
//- for (int k = row_start[row]; k < row_start[row + 1]; k++) {
//+ for (int k = row_start[row]; k <= row_start[row + 1]; k++) {
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                       \
  do {                                                                                    \
    cudaError_t status = (call);                                                          \
    if (status != cudaSuccess) {                                                          \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));     \
      exit(1);                                                                            \
    }                                                                                     \
  } while (0)

// The largest absolute value of each row of a matrix in CSR form.
__global__ void csrRowMax(int rows, const int *row_start, const double *values, double *row_max) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    double largest = 0.0;
    for (int k = row_start[row]; k < row_start[row + 1]; k++) {
      largest = fmax(largest, fabs(values[k]));
    }
    row_max[row] = largest;
  }
}

int main(void) {
  const int rows = 75;
  int start[76];
  start[0] = 0;
  for (int r = 0; r < rows; r++) start[r + 1] = start[r] + (r * 7) % 5;
  const int nnz = start[rows];
  double *values = (double *)malloc(nnz * sizeof(double));
  for (int k = 0; k < nnz; k++) values[k] = ((k * 37) % 101) - 50.5;

  int *d_start;
  double *d_values, *d_max;
  CHECK(cudaMalloc((void **)&d_start, sizeof(start)));
  CHECK(cudaMalloc((void **)&d_values, nnz * sizeof(double)));
  CHECK(cudaMalloc((void **)&d_max, rows * sizeof(double)));
  CHECK(cudaMemcpy(d_start, start, sizeof(start), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_values, values, nnz * sizeof(double), cudaMemcpyHostToDevice));
  csrRowMax<<<(rows + 31) / 32, 32>>>(rows, d_start, d_values, d_max);
  CHECK(cudaGetLastError());
  double result[75];
  CHECK(cudaMemcpy(result, d_max, sizeof(result), cudaMemcpyDeviceToHost));

  for (int r = 0; r < rows; r++) {
    double expected = 0.0;
    for (int k = start[r]; k < start[r + 1]; k++) expected = fmax(expected, fabs(values[k]));
    if (expected != result[r]) {
      fprintf(stderr, "row %d: %f instead of %f\n", r, result[r], expected);
      return 1;
    }
  }
  CHECK(cudaFree(d_start));
  CHECK(cudaFree(d_values));
  CHECK(cudaFree(d_max));
  free(values);
  puts("PASSED");
  return 0;
}
