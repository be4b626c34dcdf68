//: defect next-row-overwrites-the-factors: race
//- __syncthreads();  // the factors were used
//+
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

// One block goes through all rows; each value is multiplied by the one that mirrors it in its row.
__global__ void row_products(const float* in, float* out, int rows, int columns) {
  __shared__ float factors[64];
  const int t = threadIdx.x;
  for (int row = 0; row < rows; ++row) {
    if (t < columns) factors[t] = in[row * columns + t];
    __syncthreads();
    if (t < columns) out[row * columns + t] = in[row * columns + t] * factors[columns - 1 - t];
    __syncthreads();  // the factors were used
  }
}

int main(int argc, char** argv) {
  const int rows = 11, columns = 50;
  std::vector<float> host(rows * columns);
  for (int i = 0; i < rows * columns; ++i) host[i] = 0.25f * (i % 13) - 1.f;
  float *in, *out;
  cudaMalloc(&in, host.size() * sizeof(float));
  cudaMalloc(&out, host.size() * sizeof(float));
  cudaMemcpy(in, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
  row_products<<<1, 64>>>(in, out, rows, columns);
  cudaMemcpy(host.data(), out, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  for (int i = 0; i < columns; ++i) printf("%g ", host[i]);
  return 0;
}
