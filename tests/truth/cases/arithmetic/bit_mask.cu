//: defect shifts-by-the-width: shift
//- unsigned mask = bit < 32 ? (1u << bit) - 1 : 0xffffffffu;
//+ unsigned mask = (1u << bit) - 1;
//: defect shifts-by-less-than-nothing: shift
//- out[i] = words[i] & mask;
//+ out[i] = (words[i] >> (bit - 1)) & mask;
#include <cuda_runtime.h>

__global__ void low_bits(const unsigned *words, unsigned *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int bit = i % 33;
  unsigned mask = bit < 32 ? (1u << bit) - 1 : 0xffffffffu;
  out[i] = words[i] & mask;
}

void mask_words(const unsigned *host, unsigned *result, int n) {
  unsigned *d_words, *d_out;
  cudaMalloc(&d_words, n * sizeof(unsigned));
  cudaMalloc(&d_out, n * sizeof(unsigned));
  cudaMemcpy(d_words, host, n * sizeof(unsigned), cudaMemcpyHostToDevice);
  low_bits<<<(n + 255) / 256, 256>>>(d_words, d_out, n);
  cudaMemcpy(result, d_out, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(d_words);
  cudaFree(d_out);
}
