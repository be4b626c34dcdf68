//: defect waits-in-a-branch: divergent-barrier|deadlock|race
//- if (t < half) sums[t] += sums[t + half];
//-     __syncthreads();
//+ if (t < half) { sums[t] += sums[t + half]; __syncthreads(); }
#include <cuda_runtime.h>

__global__ void mean_of_blocks(const double *x, double *means, int n) {
  __shared__ double sums[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + threadIdx.x;
  sums[t] = i < n ? x[i] : 0.0;
  __syncthreads();
  for (int half = 32; half > 0; half >>= 1) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0) means[blockIdx.x] = sums[0] / min(64, n - int(blockIdx.x) * 64);
}

void means(const double *host, double *result, int n) {
  double *d_x, *d_means;
  int blocks = (n + 63) / 64;
  cudaMalloc(&d_x, n * sizeof(double));
  cudaMalloc(&d_means, blocks * sizeof(double));
  cudaMemcpy(d_x, host, n * sizeof(double), cudaMemcpyHostToDevice);
  mean_of_blocks<<<blocks, 64>>>(d_x, d_means, n);
  cudaMemcpy(result, d_means, blocks * sizeof(double), cudaMemcpyDeviceToHost);
  cudaFree(d_x);
  cudaFree(d_means);
}
