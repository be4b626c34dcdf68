//: defect four-values-are-written-at-the-tail: out-of-bounds
//- for (int j = 0; j < 4 && first + j < n; ++j) out[first + j] = to_unit(words[j]);
//+ for (int j = 0; j < 4; ++j) out[first + j] = to_unit(words[j]);
//: defect round-counts-overflow: integer-overflow
//- uint32_t key = seed;
//+ int key = static_cast<int>(seed | 1);
#include <cuda_runtime.h>

#include <cstdint>

__device__ float to_unit(uint32_t word) { return (word >> 8) * 5.9604645e-08f; }

__global__ void fill_uniform(float* out, int64_t n, uint32_t seed) {
  const int64_t first = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) * 4;
  if (first >= n) return;
  uint32_t words[4] = {(uint32_t)first, (uint32_t)(first >> 32), 0x1234567u, 0x89abcdefu};
  uint32_t key = seed;
  for (int round = 0; round < 7; ++round) {
    const uint64_t product = (uint64_t)words[0] * 0xD2511F53u;
    words[0] = (uint32_t)(product >> 32) ^ words[1] ^ key;
    words[1] = (uint32_t)product;
    const uint64_t other = (uint64_t)words[2] * 0xCD9E8D57u;
    words[2] = (uint32_t)(other >> 32) ^ words[3] ^ words[0];
    words[3] = (uint32_t)other;
    key += 0x1E3779B9;
  }
  for (int j = 0; j < 4 && first + j < n; ++j) out[first + j] = to_unit(words[j]);
}

// Fills n floats on the device.
extern "C" void rng_fill_uniform(float* device_out, int64_t n, uint32_t seed) {
  if (n <= 0) return;
  const int64_t threads = (n + 3) / 4;
  fill_uniform<<<(unsigned)((threads + 127) / 128), 128>>>(device_out, n, seed);
}
