//: defect last-value-has-a-successor: out-of-bounds
//- if (i >= n - 1) return;
//+ if (i >= n) return;
#include <cuda_runtime.h>

namespace series {

__global__ void differences_kernel(const double* values, double* steps, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n - 1) return;
  steps[i] = values[i + 1] - values[i];
}

/// Writes the n - 1 differences of n values; both are on the host.
void differences(const double* values, double* steps, int n) {
  if (n < 2) return;
  double *device_values, *device_steps;
  cudaMalloc(&device_values, sizeof(double) * n);
  cudaMalloc(&device_steps, sizeof(double) * (n - 1));
  cudaMemcpy(device_values, values, sizeof(double) * n, cudaMemcpyHostToDevice);
  differences_kernel<<<(n + 95) / 96, 96>>>(device_values, device_steps, n);
  cudaMemcpy(steps, device_steps, sizeof(double) * (n - 1), cudaMemcpyDeviceToHost);
  cudaFree(device_values);
  cudaFree(device_steps);
}

}  // namespace series
