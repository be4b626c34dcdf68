//: defect counts-the-own-lane-too: out-of-bounds|race|overwrite|order-dependent
//- unsigned before = __popc(votes & ((1u << lane) - 1));
//+ unsigned before = __popc(votes & ((2u << lane) - 1));
//: defect counter-begins-with-rubbish: uninitialised-read
//- cudaMemset(d_count, 0, sizeof(unsigned));
//+
//: defect counter-without-atomics: race|order-dependent
//- if (lane == 0) base = atomicAdd(count, __popc(votes));
//+ if (lane == 0) { base = *count; *count = base + __popc(votes); }
#include <cuda_runtime.h>

__global__ void keep_positive(const float *in, float *out, unsigned *count, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned lane = threadIdx.x & 31;
  bool keeps = i < n && in[i] > 0.0f;
  unsigned votes = __ballot_sync(0xffffffff, keeps);
  unsigned before = __popc(votes & ((1u << lane) - 1));
  unsigned base = 0;
  if (lane == 0) base = atomicAdd(count, __popc(votes));
  base = __shfl_sync(0xffffffff, base, 0);
  if (keeps) out[base + before] = in[i];
}

unsigned compact(const float *host, float *result, unsigned n) {
  float *d_in, *d_out;
  unsigned *d_count, count;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMalloc(&d_count, sizeof(unsigned));
  cudaMemcpy(d_in, host, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(d_count, 0, sizeof(unsigned));
  keep_positive<<<(n + 255) / 256, 256>>>(d_in, d_out, d_count, n);
  cudaMemcpy(&count, d_count, sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaMemcpy(result, d_out, count * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
  cudaFree(d_count);
  return count;
}
