//: defect keys-are-multiplied-with-their-sign: integer-overflow
//- unsigned mixed = static_cast<unsigned>(keys[i]) * 2654435761u;
//+ int mixed = keys[i] * 40503 * 65599;
#include <cuda_runtime.h>

__global__ void hash_keys(const int* __restrict__ keys, unsigned* __restrict__ hashes, int n, int bits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned mixed = static_cast<unsigned>(keys[i]) * 2654435761u;
  hashes[i] = static_cast<unsigned>(mixed) >> (32 - bits);
}

/// Writes a hash of 1 to 16 bits for each key; both arrays are on the device.
cudaError_t hash_all(const int* keys, unsigned* hashes, int n, int bits) {
  if (n <= 0 || bits < 1 || bits > 16) return cudaErrorInvalidValue;
  hash_keys<<<(n + 255) / 256, 256>>>(keys, hashes, n, bits);
  return cudaGetLastError();
}
