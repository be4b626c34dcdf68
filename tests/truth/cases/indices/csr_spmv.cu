//: defect a-row-too-many: out-of-bounds
//- if (row < rows) {
//+ if (row <= rows) {
//: defect reads-beyond-the-row: out-of-bounds
//- for (int k = row_ptr[row]; k < row_ptr[row + 1]; k++) sum += values[k] * x[columns[k]];
//+ for (int k = row_ptr[row]; k <= row_ptr[row + 1]; k++) sum += values[k] * x[columns[k]];
//: defect sum-begins-with-rubbish: uninitialised-read
//- float sum = 0.0f;
//+ float sum;
#include <cuda_runtime.h>

__global__ void spmv_csr(int rows, const int *row_ptr, const int *columns, const float *values, const float *x,
                         float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0.0f;
    for (int k = row_ptr[row]; k < row_ptr[row + 1]; k++) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}

void multiply(int rows, int cols, int nnz, const int *row_ptr, const int *columns, const float *values, const float *x,
              float *y) {
  int *d_row_ptr, *d_columns;
  float *d_values, *d_x, *d_y;
  cudaMalloc(&d_row_ptr, (rows + 1) * sizeof(int));
  cudaMalloc(&d_columns, nnz * sizeof(int));
  cudaMalloc(&d_values, nnz * sizeof(float));
  cudaMalloc(&d_x, cols * sizeof(float));
  cudaMalloc(&d_y, rows * sizeof(float));
  cudaMemcpy(d_row_ptr, row_ptr, (rows + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_columns, columns, nnz * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_values, values, nnz * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_x, x, cols * sizeof(float), cudaMemcpyHostToDevice);
  spmv_csr<<<(rows + 127) / 128, 128>>>(rows, d_row_ptr, d_columns, d_values, d_x, d_y);
  cudaMemcpy(y, d_y, rows * sizeof(float), cudaMemcpyDeviceToHost);
}
