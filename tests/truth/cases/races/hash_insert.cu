//: defect table-is-not-cleared: uninitialised-read
//- cudaMemset(d_table, 0xff, capacity * sizeof(unsigned));
//+
//: defect takes-a-slot-without-asking: race|order-dependent
//- unsigned before = atomicCAS(&table[slot], kEmpty, key);
//+ unsigned before = table[slot];
//+     if (before == kEmpty) table[slot] = key;
//: defect wraps-one-late: out-of-bounds
//- slot = (slot + 1) & (capacity - 1);
//+ slot = slot + 1;
#include <cuda_runtime.h>

const unsigned kEmpty = 0xffffffff;

__device__ unsigned hash_key(unsigned k, unsigned capacity) {
  k ^= k >> 16;
  k *= 0x85ebca6b;
  k ^= k >> 13;
  return k & (capacity - 1);
}

__global__ void insert_keys(unsigned *table, const unsigned *keys, unsigned count, unsigned capacity) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned key = keys[i];
  unsigned slot = hash_key(key, capacity);
  while (true) {
    unsigned before = atomicCAS(&table[slot], kEmpty, key);
    if (before == kEmpty || before == key) return;
    slot = (slot + 1) & (capacity - 1);
  }
}

unsigned *build_table(const unsigned *keys, unsigned count) {
  const unsigned capacity = 1024;
  unsigned *d_table, *d_keys;
  cudaMalloc(&d_table, capacity * sizeof(unsigned));
  cudaMemset(d_table, 0xff, capacity * sizeof(unsigned));
  cudaMalloc(&d_keys, count * sizeof(unsigned));
  cudaMemcpy(d_keys, keys, count * sizeof(unsigned), cudaMemcpyHostToDevice);
  insert_keys<<<(count + 127) / 128, 128>>>(d_table, d_keys, count, capacity);
  cudaFree(d_keys);
  return d_table;
}
