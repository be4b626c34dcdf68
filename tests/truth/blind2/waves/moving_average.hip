//: defect halo-is-not-loaded: uninitialised-read
//- if (threadIdx.x < 2 * kRadius) load(tile, in, first + kBlock, kBlock, n);
//+
//: defect tile-has-no-room-for-the-halo: array-bounds|out-of-bounds
//- __shared__ float tile[kBlock + 2 * kRadius];
//+ __shared__ float tile[kBlock + kRadius];
//: defect output-is-not-guarded: out-of-bounds
//- if (i < n) out[i] = sum / (2 * kRadius + 1);
//+ out[i] = sum / (2 * kRadius + 1);
#include <hip/hip_runtime.h>

#include <iostream>
#include <vector>

constexpr int kBlock = 64;
constexpr int kRadius = 3;

__device__ void load(float* tile, const float* in, int first, int shift, int n) {
  const int source = first + static_cast<int>(threadIdx.x);
  tile[threadIdx.x + shift] = source >= 0 && source < n ? in[source] : 0.0f;
}

__global__ void moving_average(const float* in, float* out, int n) {
  __shared__ float tile[kBlock + 2 * kRadius];
  const int first = static_cast<int>(blockIdx.x) * kBlock - kRadius;
  load(tile, in, first, 0, n);
  if (threadIdx.x < 2 * kRadius) load(tile, in, first + kBlock, kBlock, n);
  __syncthreads();
  float sum = 0.0f;
  for (int k = 0; k <= 2 * kRadius; ++k) sum += tile[threadIdx.x + k];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n) out[i] = sum / (2 * kRadius + 1);
}

int main() {
  const int n = 1000;
  std::vector<float> signal(n), smooth(n);
  for (int i = 0; i < n; ++i) signal[i] = static_cast<float>(i % 17);
  float *d_in = nullptr, *d_out = nullptr;
  if (hipMalloc(&d_in, n * sizeof(float)) != hipSuccess || hipMalloc(&d_out, n * sizeof(float)) != hipSuccess) return 1;
  hipMemcpy(d_in, signal.data(), n * sizeof(float), hipMemcpyHostToDevice);
  hipLaunchKernelGGL(moving_average, dim3((n + kBlock - 1) / kBlock), dim3(kBlock), 0, 0, d_in, d_out, n);
  hipMemcpy(smooth.data(), d_out, n * sizeof(float), hipMemcpyDeviceToHost);
  std::cout << smooth[0] << " " << smooth[n - 1] << std::endl;
  hipFree(d_in);
  hipFree(d_out);
  return 0;
}
