//: defect the-brightest-value-has-a-bin-of-its-own: out-of-bounds|array-bounds
//- const int bin = min(static_cast<int>((luminance[i] - low) / (high - low) * BINS), BINS - 1);
//+ const int bin = static_cast<int>((luminance[i] - low) / (high - low) * BINS);
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define BINS 32

__global__ void luminance_histogram(const float* luminance, unsigned* histogram, int n, float low, float high) {
  __shared__ unsigned own[BINS];
  if (threadIdx.x < BINS) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = min(static_cast<int>((luminance[i] - low) / (high - low) * BINS), BINS - 1);
    atomicAdd(&own[bin], 1u);
  }
  __syncthreads();
  if (threadIdx.x < BINS) atomicAdd(&histogram[threadIdx.x], own[threadIdx.x]);
}

static void check(hipError_t error) {
  if (error == hipSuccess) return;
  std::fprintf(stderr, "HIP error: %s\n", hipGetErrorString(error));
  std::exit(1);
}

int main() {
  const int n = 3000;
  std::vector<float> luminance(n);
  for (int i = 0; i < n; ++i) luminance[i] = static_cast<float>(i * 131 % 997) / 996 * 4.f - 2.f;
  const auto ends = std::minmax_element(luminance.begin(), luminance.end());
  float* d_luminance;
  unsigned *d_histogram, histogram[BINS];
  check(hipMalloc(&d_luminance, n * sizeof(float)));
  check(hipMalloc(&d_histogram, sizeof histogram));
  check(hipMemcpy(d_luminance, luminance.data(), n * sizeof(float), hipMemcpyHostToDevice));
  check(hipMemset(d_histogram, 0, sizeof histogram));
  luminance_histogram<<<4, 128>>>(d_luminance, d_histogram, n, *ends.first, *ends.second);
  check(hipMemcpy(histogram, d_histogram, sizeof histogram, hipMemcpyDeviceToHost));
  unsigned so_far = 0;
  for (unsigned count : histogram) std::printf("%.3f ", static_cast<float>(so_far += count) / n);
  std::printf("\n");
  check(hipFree(d_luminance));
  check(hipFree(d_histogram));
  return 0;
}
