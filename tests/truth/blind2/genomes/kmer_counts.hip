//: defect letters-are-believed: out-of-bounds
//- if (code < 0) return;
//+
//: defect last-words-are-too-short: out-of-bounds
//- const int words = length - K + 1;
//+ const int words = length;
//: defect counts-collide: race|order-dependent
//- atomicAdd(&counts[word], 1u);
//+ counts[word] += 1u;
#include <hip/hip_runtime.h>

__device__ inline int encode(char letter) {
  switch (letter) {
    case 'A': return 0;
    case 'C': return 1;
    case 'G': return 2;
    case 'T': return 3;
    default: return -1;
  }
}

template <int K>
__global__ void count_kmers(const char* __restrict__ genome, unsigned* __restrict__ counts, int words) {
  const int i = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  if (i >= words) return;
  int word = 0;
  for (int k = 0; k < K; ++k) {
    const int code = encode(genome[i + k]);
    if (code < 0) return;
    word = word * 4 + code;
  }
  atomicAdd(&counts[word], 1u);
}

template <int K>
hipError_t count_words(const char* genome, int length, unsigned* counts) {
  if (length < K) return hipErrorInvalidValue;
  char* device_genome;
  unsigned* device_counts;
  const size_t table = (size_t{1} << (2 * K)) * sizeof(unsigned);
  hipError_t status = hipMalloc(&device_genome, length);
  if (status != hipSuccess) return status;
  status = hipMalloc(&device_counts, table);
  if (status != hipSuccess) return status;
  hipMemset(device_counts, 0, table);
  hipMemcpy(device_genome, genome, length, hipMemcpyHostToDevice);
  const int words = length - K + 1;
  count_kmers<K><<<(words + 255) / 256, 256>>>(device_genome, device_counts, words);
  hipMemcpy(counts, device_counts, table, hipMemcpyDeviceToHost);
  hipFree(device_genome);
  hipFree(device_counts);
  return hipGetLastError();
}

template hipError_t count_words<3>(const char*, int, unsigned*);
