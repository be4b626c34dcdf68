//: defect swaps-rows-and-columns: out-of-bounds
//- int at = row * cols + col;
//+ int at = col * cols + row;
//: defect guards-rows-only: out-of-bounds
//- if (row < rows && col < cols) {
//+ if (row < rows) {
//: defect guards-columns-only: out-of-bounds
//- if (row < rows && col < cols) {
//+ if (col < cols) {
#include <cuda_runtime.h>
#include <vector>

#define CHECK(call)                                 \
  do {                                              \
    cudaError_t status = (call);                    \
    if (status != cudaSuccess) return int(status);  \
  } while (0)

__global__ void matrix_add(const float *a, const float *b, float *c, int rows, int cols) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) {
    int at = row * cols + col;
    c[at] = a[at] + b[at];
  }
}

int add(const std::vector<float> &a, const std::vector<float> &b, std::vector<float> &c, int rows, int cols) {
  const size_t bytes = size_t(rows) * cols * sizeof(float);
  float *d_a, *d_b, *d_c;
  CHECK(cudaMalloc((void **)&d_a, bytes));
  CHECK(cudaMalloc((void **)&d_b, bytes));
  CHECK(cudaMalloc((void **)&d_c, bytes));
  CHECK(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_b, b.data(), bytes, cudaMemcpyHostToDevice));
  dim3 block(16, 16), grid((cols + 15) / 16, (rows + 15) / 16);
  matrix_add<<<grid, block>>>(d_a, d_b, d_c, rows, cols);
  CHECK(cudaMemcpy(c.data(), d_c, bytes, cudaMemcpyDeviceToHost));
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
  return 0;
}
