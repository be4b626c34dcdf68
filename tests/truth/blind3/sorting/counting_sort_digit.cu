//: defect places-are-handed-out-without-atomics: race|order-dependent|overwrite
//- const unsigned place = atomicAdd(&next[digit], 1u);
//+ const unsigned place = next[digit]++;
//: defect digits-have-one-bin-too-few: out-of-bounds
//- cudaMalloc(&next, kBins * sizeof(unsigned));
//+ cudaMalloc(&next, (kBins - 1) * sizeof(unsigned));
#include <cuda_runtime.h>

#include <vector>

static const int kBins = 16;

__global__ void count_digits(const unsigned* keys, unsigned* counts, int n, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[(keys[i] >> shift) & (kBins - 1)], 1u);
}

// The order among equal digits is free, so only the digit is written.
__global__ void place_digits(const unsigned* keys, unsigned* next, unsigned char* digits, int n, int shift) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned digit = (keys[i] >> shift) & (kBins - 1);
  const unsigned place = atomicAdd(&next[digit], 1u);
  digits[place] = digit;
}

void sort_digits(const std::vector<unsigned>& keys, std::vector<unsigned char>& digits, int shift) {
  const int n = (int)keys.size();
  digits.resize(n);
  if (n == 0 || shift < 0 || shift > 28) return;
  unsigned *d_keys, *counts, *next;
  unsigned char* d_digits;
  cudaMalloc(&d_keys, n * sizeof(unsigned));
  cudaMalloc(&counts, kBins * sizeof(unsigned));
  cudaMalloc(&next, kBins * sizeof(unsigned));
  cudaMalloc(&d_digits, n);
  cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemset(counts, 0, kBins * sizeof(unsigned));
  const int blocks = (n + 127) / 128;
  count_digits<<<blocks, 128>>>(d_keys, counts, n, shift);
  unsigned host_counts[kBins], sum = 0;
  cudaMemcpy(host_counts, counts, sizeof(host_counts), cudaMemcpyDeviceToHost);
  for (int b = 0; b < kBins; ++b) {
    const unsigned c = host_counts[b];
    host_counts[b] = sum;
    sum += c;
  }
  cudaMemcpy(next, host_counts, sizeof(host_counts), cudaMemcpyHostToDevice);
  place_digits<<<blocks, 128>>>(d_keys, next, d_digits, n, shift);
  cudaMemcpy(digits.data(), d_digits, n, cudaMemcpyDeviceToHost);
  cudaFree(d_keys);
  cudaFree(counts);
  cudaFree(next);
  cudaFree(d_digits);
}
