//: defect probing-goes-over-the-end: out-of-bounds
//- slot = (slot + 1) % capacity;  // while inserting
//+ slot = slot + 1;
#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace table {
constexpr uint32_t kEmpty = 0xffffffffu;

__device__ uint32_t hash(uint32_t key) {
  key ^= key >> 16;
  key *= 0x45d9f3bu;
  key ^= key >> 16;
  return key;
}

__global__ void insert(uint32_t* slots, uint32_t capacity, const uint32_t* keys, uint32_t count) {
  const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const uint32_t key = keys[i];
  uint32_t slot = hash(key) % capacity;
  while (true) {
    const uint32_t old = atomicCAS(&slots[slot], kEmpty, key);
    if (old == kEmpty || old == key) return;
    slot = (slot + 1) % capacity;  // while inserting
  }
}
}  // namespace table

int main() {
  const uint32_t capacity = 256, count = 240;
  std::vector<uint32_t> keys(count), slots(capacity);
  for (uint32_t i = 0; i < count; ++i) keys[i] = i * 40503u + 17u;
  uint32_t *d_keys, *d_slots;
  cudaMalloc(&d_keys, count * sizeof(uint32_t));
  cudaMalloc(&d_slots, capacity * sizeof(uint32_t));
  cudaMemcpy(d_keys, keys.data(), count * sizeof(uint32_t), cudaMemcpyHostToDevice);
  cudaMemset(d_slots, 0xff, capacity * sizeof(uint32_t));
  table::insert<<<(count + 63) / 64, 64>>>(d_slots, capacity, d_keys, count);
  cudaMemcpy(slots.data(), d_slots, capacity * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  cudaFree(d_keys);
  cudaFree(d_slots);
  uint32_t held = 0;
  for (uint32_t slot : slots) held += slot != table::kEmpty;
  if (held != count) {
    std::printf("%u keys of %u are in the table\n", held, count);
    return 1;
  }
  std::printf("all keys are in the table\n");
  return 0;
}
