//: defect no-barrier-before-the-reversed-read: race|uninitialised-read
//- __syncthreads();
//+
//: defect tail-block-turns-as-if-full: uninitialised-read|out-of-bounds
//- const unsigned count = min(n - begin, static_cast<size_t>(kBlock));
//+ const unsigned count = kBlock;
//: defect launch-gives-too-little-memory: out-of-bounds
//- hipLaunchKernelGGL(HIP_KERNEL_NAME(reverse_blocks<double>), grid, block, kBlock * sizeof(double), 0, d_values, n);
//+ hipLaunchKernelGGL(HIP_KERNEL_NAME(reverse_blocks<double>), grid, block, kBlock * sizeof(float), 0, d_values, n);
#include "hip/hip_runtime.h"

#include <cstdlib>
#include <iostream>

constexpr unsigned kBlock = 128;

template <typename T>
__global__ void reverse_blocks(T* values, size_t n) {
  extern __shared__ double memory[];
  T* tile = reinterpret_cast<T*>(memory);
  const size_t begin = static_cast<size_t>(blockIdx.x) * kBlock;
  const unsigned count = min(n - begin, static_cast<size_t>(kBlock));
  const unsigned tid = threadIdx.x;
  if (tid < count) tile[tid] = values[begin + tid];
  __syncthreads();
  if (tid < count) values[begin + tid] = tile[count - 1 - tid];
}

int main() {
  const size_t n = 1234;
  double* values = static_cast<double*>(std::malloc(n * sizeof(double)));
  for (size_t i = 0; i < n; ++i) values[i] = static_cast<double>(i);

  double* d_values = nullptr;
  if (hipMalloc(reinterpret_cast<void**>(&d_values), n * sizeof(double)) != hipSuccess) return EXIT_FAILURE;
  (void)hipMemcpy(d_values, values, n * sizeof(double), hipMemcpyHostToDevice);
  const dim3 block(kBlock);
  const dim3 grid((n + kBlock - 1) / kBlock);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(reverse_blocks<double>), grid, block, kBlock * sizeof(double), 0, d_values, n);
  (void)hipMemcpy(values, d_values, n * sizeof(double), hipMemcpyDeviceToHost);
  std::cout << values[0] << std::endl;
  (void)hipFree(d_values);
  std::free(values);
  return EXIT_SUCCESS;
}
