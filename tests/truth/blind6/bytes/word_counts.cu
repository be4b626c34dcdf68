//: defect occurrences-are-counted-without-atomics: race|order-dependent
//- atomicAdd(&table->counts[slot], 1);
//+ table->counts[slot] += 1;
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

constexpr int kSlots = 64;

struct Table {
  unsigned keys[kSlots];  // zero is no key
  int counts[kSlots];
};

__device__ unsigned fnv1a(const char* word, int length) {
  unsigned hash = 2166136261u;
  for (int i = 0; i < length; ++i) hash = (hash ^ (unsigned char)word[i]) * 16777619u;
  return hash ? hash : 1u;
}

// Counts words of a fixed width; words and slots are fewer than kSlots, so probing ends.
__global__ void count_words(const char* text, int words, int width, Table* table) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words) return;
  const unsigned key = fnv1a(text + i * width, width);
  unsigned slot = key % kSlots;
  for (int probe = 0; probe < kSlots; ++probe) {
    const unsigned there = atomicCAS(&table->keys[slot], 0u, key);
    if (there == 0u || there == key) {
      atomicAdd(&table->counts[slot], 1);
      return;
    }
    slot = (slot + 1) % kSlots;
  }
}

int main() {
  const char* dictionary[] = {"warp", "lane", "grid", "mask", "tile", "sync", "load", "fuse", "scan"};
  const int words = 200, width = 4;
  std::vector<char> text(words * width);
  std::map<std::string, int> expected;
  for (int i = 0; i < words; ++i) {
    const char* word = dictionary[(i * i + i / 7) % 9];
    std::memcpy(&text[i * width], word, width);
    ++expected[word];
  }
  char* d_text;
  Table *d_table, table;
  cudaMalloc(&d_text, text.size());
  cudaMalloc(&d_table, sizeof(Table));
  cudaMemcpy(d_text, text.data(), text.size(), cudaMemcpyHostToDevice);
  cudaMemset(d_table, 0, sizeof(Table));
  count_words<<<(words + 63) / 64, 64>>>(d_text, words, width, d_table);
  cudaMemcpy(&table, d_table, sizeof(Table), cudaMemcpyDeviceToHost);
  cudaFree(d_text);
  cudaFree(d_table);
  int total = 0, kinds = 0, largest = 0, expected_largest = 0;
  for (int s = 0; s < kSlots; ++s) {
    total += table.counts[s];
    kinds += table.keys[s] != 0;
    if (table.counts[s] > largest) largest = table.counts[s];
  }
  for (const auto& entry : expected)
    if (entry.second > expected_largest) expected_largest = entry.second;
  if (total != words || kinds != (int)expected.size() || largest != expected_largest) {
    std::printf("counts are wrong: %d words of %d kinds\n", total, kinds);
    return 1;
  }
  std::printf("counts are right\n");
  return 0;
}
