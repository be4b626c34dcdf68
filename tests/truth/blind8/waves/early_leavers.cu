//: defect threads-behind-the-end-leave-before-the-sum: inactive-lane
//- const float value = i < n ? in[i] : 0.f;
//+ if (i >= n) return;
//+   const float value = in[i];
#include <cstdio>
#include <cuda_runtime.h>

__global__ void warp_totals(const float *in, float *totals, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = i < n ? in[i] : 0.f;
  float sum = value;
  for (int lanes = 16; lanes > 0; lanes >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, lanes);
  if (threadIdx.x % 32 == 0) totals[i / 32] = sum;
}

int main() {
  const int n = 200, warps = (n + 63) / 64 * 2;
  float in[n], totals[warps], *d_in, *d_totals;
  for (int i = 0; i < n; ++i) in[i] = 1.f / (1 + i % 10);
  cudaMalloc(&d_in, sizeof in);
  cudaMalloc(&d_totals, sizeof totals);
  cudaMemset(d_totals, 0, sizeof totals);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  warp_totals<<<(n + 63) / 64, 64>>>(d_in, d_totals, n);
  cudaMemcpy(totals, d_totals, sizeof totals, cudaMemcpyDeviceToHost);
  for (int w = 0; w < warps; ++w) printf("%d: %f\n", w, totals[w]);
  cudaFree(d_in);
  cudaFree(d_totals);
  return 0;
}
