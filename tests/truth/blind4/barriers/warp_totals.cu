//: defect threads-behind-the-end-leave-before-the-shuffle: inactive-lane|divergent-warp|excluded-caller
//- float value = i < n ? x[i] : 0.f;
//+ if (i >= n) return;
//+   float value = x[i];
#include <cuda_runtime.h>

__global__ void warp_totals(const float* x, float* totals, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? x[i] : 0.f;
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, distance);
  }
  if (threadIdx.x % 32 == 0 && i < n) totals[i / 32] = value;
}

/// Sums 32 values at a time; `totals` has room for one more than n / 32 of them. All is on the device.
int sum_by_warps(const float* x, float* totals, int n) {
  if (n <= 0) return 0;
  warp_totals<<<(n + 127) / 128, 128>>>(x, totals, n);
  return (n + 31) / 32;
}
