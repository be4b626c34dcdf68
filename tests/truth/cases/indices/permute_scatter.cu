//: defect two-threads-one-place: race|overwrite|order-dependent
//- out[i % rows * cols + i / rows] = in[i];
//+ out[i % rows * cols + i / rows / 2] = in[i];
//: defect beyond-the-last-row: out-of-bounds
//- out[i % rows * cols + i / rows] = in[i];
//+ out[(i % rows + 1) * cols + i / rows] = in[i];
#include <cuda_runtime.h>

__global__ void to_row_major(const float *in, float *out, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * cols) return;
  out[i % rows * cols + i / rows] = in[i];
}

void convert(const float *host, float *result, int rows, int cols) {
  float *d_in, *d_out;
  const int total = rows * cols;
  cudaMalloc(&d_in, total * sizeof(float));
  cudaMalloc(&d_out, total * sizeof(float));
  cudaMemcpy(d_in, host, total * sizeof(float), cudaMemcpyHostToDevice);
  to_row_major<<<(total + 255) / 256, 256>>>(d_in, d_out, rows, cols);
  cudaMemcpy(result, d_out, total * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
}
