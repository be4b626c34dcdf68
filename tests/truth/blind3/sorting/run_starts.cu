//: defect first-value-is-held-against-one-before: out-of-bounds
//- starts[i] = i == 0 || values[i] != values[i - 1];
//+ starts[i] = values[i] != values[i - 1];
//: defect guard-lets-one-more-through: out-of-bounds
//- if (i >= n) return;
//+ if (i > n) return;
#include <cuda_runtime.h>

__global__ void mark_run_starts(const int* __restrict__ values, unsigned char* __restrict__ starts, int n) {
  const int i = threadIdx.x + blockDim.x * blockIdx.x;
  if (i >= n) return;
  starts[i] = i == 0 || values[i] != values[i - 1];
}

// Both arrays are on the device and have n elements.
extern "C" void rle_mark_starts(const int* values, unsigned char* starts, int n, cudaStream_t stream) {
  if (n <= 0) return;
  mark_run_starts<<<(n + 255) / 256, 256, 0, stream>>>(values, starts, n);
}
