//: defect scan-includes-the-own-value: own-check
//- offsets[tid] = sums[tid] - own;
//+ offsets[tid] = sums[tid];
#include <assert.h>
#include <cuda_runtime.h>
#include <stdio.h>

#define N 200

static void exclusiveScanHost(const int *counts, int *offsets, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    offsets[i] = sum;
    sum += counts[i];
  }
}

__global__ void exclusiveScan(const int *counts, int *offsets, int n) {
  __shared__ int sums[256];
  const int tid = threadIdx.x;
  const int own = tid < n ? counts[tid] : 0;
  sums[tid] = own;
  __syncthreads();
  for (int d = 1; d < 256; d <<= 1) {
    const int left = tid >= d ? sums[tid - d] : 0;
    __syncthreads();
    sums[tid] += left;
    __syncthreads();
  }
  if (tid < n) {
    offsets[tid] = sums[tid] - own;
  }
}

int main() {
  int counts[N], offsets[N], reference[N];
  for (int i = 0; i < N; ++i) counts[i] = (i * 11) % 6;
  exclusiveScanHost(counts, reference, N);
  int *d_counts, *d_offsets;
  cudaMalloc((void **)&d_counts, sizeof(counts));
  cudaMalloc((void **)&d_offsets, sizeof(offsets));
  cudaMemcpy(d_counts, counts, sizeof(counts), cudaMemcpyHostToDevice);
  exclusiveScan<<<1, 256>>>(d_counts, d_offsets, N);
  cudaMemcpy(offsets, d_offsets, sizeof(offsets), cudaMemcpyDeviceToHost);
  cudaFree(d_counts);
  cudaFree(d_offsets);
  for (int i = 0; i < N; ++i) assert(offsets[i] == reference[i]);
  printf("scan agrees with the host\n");
  return 0;
}
