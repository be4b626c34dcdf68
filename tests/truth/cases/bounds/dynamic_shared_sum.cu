//: defect half-the-shared-memory: out-of-bounds
//- block_sums<<<blocks, threads, threads * sizeof(float)>>>(d_in, d_out, n);
//+ block_sums<<<blocks, threads, threads * sizeof(float) / 2>>>(d_in, d_out, n);
//: defect a-sum-too-many: out-of-bounds
//- if (tid == 0) out[blockIdx.x] = sdata[0];
//+ if (tid == 0) out[blockIdx.x + 1] = sdata[0];
//: defect does-not-guard-the-tail: out-of-bounds
//- sdata[tid] = i < n ? in[i] : 0.0f;
//+ sdata[tid] = in[i];
#include <cuda_runtime.h>
#include <numeric>
#include <vector>

__global__ void block_sums(const float *in, float *out, unsigned n) {
  extern __shared__ float sdata[];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}

float sum(const std::vector<float> &values) {
  unsigned n = values.size();
  unsigned threads = 256;
  unsigned blocks = (n + threads - 1) / threads;
  float *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, blocks * sizeof(float));
  cudaMemcpy(d_in, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  block_sums<<<blocks, threads, threads * sizeof(float)>>>(d_in, d_out, n);
  std::vector<float> sums(blocks);
  cudaMemcpy(sums.data(), d_out, blocks * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  return std::accumulate(sums.begin(), sums.end(), 0.0f);
}
