//: defect zeros-miss-the-last-key: own-check|race|order-dependent|out-of-bounds
//- const int zeros = scanned[n - 1] + flags[n - 1];
//+ const int zeros = scanned[n - 1];
#include <stdio.h>

#include <algorithm>
#include <vector>

#include <cuda_runtime.h>

// A least-significant-digit radix sort of as many keys as a block has threads, a bit at a time.
__global__ void radix_sort_block(unsigned short *keys, int n, int bits) {
  extern __shared__ int memory[];
  int *flags = memory;
  int *scanned = memory + n;
  const int t = threadIdx.x;
  unsigned short key = keys[t];
  for (int bit = 0; bit < bits; ++bit) {
    const int is_zero = !((key >> bit) & 1);
    flags[t] = is_zero;
    __syncthreads();
    if (t == 0) {
      int sum = 0;
      for (int i = 0; i < n; ++i) {
        scanned[i] = sum;
        sum += flags[i];
      }
    }
    __syncthreads();
    const int zeros = scanned[n - 1] + flags[n - 1];
    const int to = is_zero ? scanned[t] : zeros + t - scanned[t];
    keys[to] = key;
    __syncthreads();
    key = keys[t];
    __syncthreads();
  }
}

int main() {
  const int n = 160;
  std::vector<unsigned short> keys(n);
  unsigned state = 99;
  for (auto &key : keys) {
    state = state * 1664525u + 1013904223u;
    key = state >> 20;
  }
  std::vector<unsigned short> expected(keys);
  std::sort(expected.begin(), expected.end());
  unsigned short *device;
  cudaMalloc((void **)&device, n * sizeof(unsigned short));
  cudaMemcpy(device, &keys[0], n * sizeof(unsigned short), cudaMemcpyHostToDevice);
  radix_sort_block<<<1, n, 2 * n * sizeof(int)>>>(device, n, 12);
  cudaMemcpy(&keys[0], device, n * sizeof(unsigned short), cudaMemcpyDeviceToHost);
  cudaFree(device);
  if (!std::equal(keys.begin(), keys.end(), expected.begin())) {
    printf("sorting FAILED\n");
    return -1;
  }
  printf("sorting OK\n");
  return 0;
}
