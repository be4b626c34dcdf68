//: defect forgets-the-barrier: race
//- __syncthreads();  // of a stage
//+
//: defect both-partners-swap: race
//- if (partner > tid) {
//+ if (partner != tid) {
#include <cuda_runtime.h>

constexpr int kItems = 256;

__global__ void bitonic_sort(float *values) {
  __shared__ float items[kItems];
  unsigned tid = threadIdx.x;
  items[tid] = values[blockIdx.x * kItems + tid];
  __syncthreads();
  for (unsigned k = 2; k <= kItems; k *= 2) {
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned partner = tid ^ j;
      if (partner > tid) {
        bool ascending = (tid & k) == 0;
        if ((items[tid] > items[partner]) == ascending) {
          float other = items[tid];
          items[tid] = items[partner];
          items[partner] = other;
        }
      }
      __syncthreads();  // of a stage
    }
  }
  values[blockIdx.x * kItems + tid] = items[tid];
}

void sort_chunks(float *host, int chunks) {
  float *d_values;
  cudaMalloc(&d_values, chunks * kItems * sizeof(float));
  cudaMemcpy(d_values, host, chunks * kItems * sizeof(float), cudaMemcpyHostToDevice);
  bitonic_sort<<<chunks, kItems>>>(d_values);
  cudaMemcpy(host, d_values, chunks * kItems * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_values);
}
