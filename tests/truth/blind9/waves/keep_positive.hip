//: defect places-of-a-wave-are-not-moved-by-what-it-holds: race|order-dependent|own-check|overwrite
//- if (lane == first) base = atomicAdd(count, kept);
//+ if (lane == first) base = atomicAdd(count, 1);
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Keeps what is positive, in any order; a wave asks once for the room of all its lanes.
__global__ void keep_positive(const int* values, int* out, int* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int value = i < n ? values[i] : 0;
  const int lane = threadIdx.x % warpSize;
  const unsigned long long votes = __ballot(value > 0);
  const int kept = __popcll(votes);
  if (kept == 0) return;
  const int first = __ffsll(votes) - 1;
  int base = 0;
  if (lane == first) base = atomicAdd(count, kept);
  base = __shfl(base, first);
  if (value > 0) out[base + __popcll(votes & ((1ull << lane) - 1))] = value;
}

int main() {
  const int n = 500;
  std::vector<int> values(n), expected, kept(n);
  for (int i = 0; i < n; ++i) {
    values[i] = i * 31 % 97 - 48;
    if (values[i] > 0) expected.push_back(values[i]);
  }
  int *d_values, *d_kept, *d_count, count = 0;
  if (hipMalloc(&d_values, n * sizeof(int)) || hipMalloc(&d_kept, n * sizeof(int)) || hipMalloc(&d_count, sizeof(int)))
    return EXIT_FAILURE;
  if (hipMemcpy(d_values, values.data(), n * sizeof(int), hipMemcpyHostToDevice)) return EXIT_FAILURE;
  if (hipMemset(d_count, 0, sizeof(int))) return EXIT_FAILURE;
  keep_positive<<<(n + 127) / 128, 128>>>(d_values, d_kept, d_count, n);
  if (hipMemcpy(&count, d_count, sizeof(int), hipMemcpyDeviceToHost)) return EXIT_FAILURE;
  if (hipMemcpy(kept.data(), d_kept, count * sizeof(int), hipMemcpyDeviceToHost)) return EXIT_FAILURE;
  kept.resize(count);
  std::sort(kept.begin(), kept.end());
  std::sort(expected.begin(), expected.end());
  (void)hipFree(d_values);
  (void)hipFree(d_kept);
  (void)hipFree(d_count);
  if (kept != expected) {
    fprintf(stderr, "kept %d values, expected %zu\n", count, expected.size());
    return EXIT_FAILURE;
  }
  printf("kept %d values\n", count);
  return EXIT_SUCCESS;
}
