//: defect bits-are-set-without-atomics: race|order-dependent
//- atomicOr(&words[bit / 32], 1u << (bit % 32));
//+ words[bit / 32] |= 1u << (bit % 32);
//: defect shift-by-the-whole-bit-number: shift
//- atomicOr(&words[bit / 32], 1u << (bit % 32));
//+ atomicOr(&words[bit / 32], 1u << bit);
//: defect filter-has-room-for-fewer-bits: out-of-bounds
//- const size_t bytes = (bits + 31) / 32 * sizeof(unsigned);
//+ const size_t bytes = bits / 32 * sizeof(unsigned);
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

__global__ void insert_keys(const unsigned* keys, unsigned* words, int n, unsigned bits) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    unsigned hash = keys[i];
    for (int round = 0; round < 3; ++round) {
      hash = (hash ^ (hash >> 15)) * 2654435761u;
      const unsigned bit = hash % bits;
      atomicOr(&words[bit / 32], 1u << (bit % 32));
    }
  }
}

int main() {
  const int n = 3000;
  const unsigned bits = 1021;
  const size_t bytes = (bits + 31) / 32 * sizeof(unsigned);
  std::vector<unsigned> keys(n), words(32);
  for (int i = 0; i < n; ++i) keys[i] = 977u * i + 13u;
  unsigned *d_keys, *d_words;
  cudaMalloc(&d_keys, n * sizeof(unsigned));
  cudaMalloc(&d_words, bytes);
  cudaMemset(d_words, 0, bytes);
  cudaMemcpy(d_keys, keys.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  insert_keys<<<8, 64>>>(d_keys, d_words, n, bits);
  cudaMemcpy(words.data(), d_words, bytes, cudaMemcpyDeviceToHost);
  unsigned sum = 0;
  for (unsigned word : words) sum ^= word;
  std::printf("%08x\n", sum);
  cudaFree(d_keys);
  cudaFree(d_words);
  return 0;
}
