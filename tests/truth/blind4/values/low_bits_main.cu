//: defect all-bits-are-shifted-out: shift
//- const unsigned mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1u;
//+ const unsigned mask = (1u << bits) - 1u;
#include <cuda_runtime.h>

#include <cstdio>

__global__ void keep_low_bits(const unsigned* words, const unsigned char* widths, unsigned* kept, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int bits = widths[i];
  const unsigned mask = bits == 32 ? 0xffffffffu : (1u << bits) - 1u;
  kept[i] = words[i] & mask;
}

int main() {
  const int n = 99;
  unsigned words[n], kept[n], *device_words, *device_kept;
  unsigned char widths[n], *device_widths;
  for (int i = 0; i < n; ++i) {
    words[i] = 2654435761u * i;
    widths[i] = i % 33;
  }
  cudaMalloc(&device_words, sizeof(words));
  cudaMalloc(&device_kept, sizeof(kept));
  cudaMalloc(&device_widths, sizeof(widths));
  cudaMemcpy(device_words, words, sizeof(words), cudaMemcpyHostToDevice);
  cudaMemcpy(device_widths, widths, sizeof(widths), cudaMemcpyHostToDevice);
  keep_low_bits<<<2, 64>>>(device_words, device_widths, device_kept, n);
  cudaMemcpy(kept, device_kept, sizeof(kept), cudaMemcpyDeviceToHost);
  cudaFree(device_words);
  cudaFree(device_kept);
  cudaFree(device_widths);
  unsigned all = 0;
  for (unsigned word : kept) all ^= word;
  printf("%08x\n", all);
  return 0;
}
