//: defect last-block-adds-what-nobody-set: uninitialised-read
//- partial[threadIdx.x] = i < n ? a[i] * b[i] : 0.0f;
//+ if (i < n) partial[threadIdx.x] = a[i] * b[i];
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

constexpr int BLOCK = 128;

__global__ void dot_blocks(const float *a, const float *b, float *sums, int n) {
  __shared__ float partial[BLOCK];
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  partial[threadIdx.x] = i < n ? a[i] * b[i] : 0.0f;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = partial[0];
}

int main(int argc, char **argv) {
  const int n = argc > 1 ? atoi(argv[1]) : 1000;
  const int blocks = (n + BLOCK - 1) / BLOCK;
  std::vector<float> a(n), b(n), sums(blocks);
  for (int i = 0; i < n; ++i) a[i] = 0.01f * (i % 100), b[i] = 1.0f - 0.005f * (i % 50);
  float *d_a, *d_b, *d_sums;
  cudaMalloc(&d_a, n * sizeof(float));
  cudaMalloc(&d_b, n * sizeof(float));
  cudaMalloc(&d_sums, blocks * sizeof(float));
  cudaMemcpy(d_a, a.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  dot_blocks<<<blocks, BLOCK>>>(d_a, d_b, d_sums, n);
  cudaMemcpy(sums.data(), d_sums, blocks * sizeof(float), cudaMemcpyDeviceToHost);
  double dot = 0;
  for (float sum : sums) dot += sum;
  printf("dot product: %.6f\n", dot);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_sums);
  return 0;
}
