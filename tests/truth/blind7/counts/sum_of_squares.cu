//: defect squares-are-taken-in-int: integer-overflow|own-check
//- for (int i = first; i < n; i += step) sum += (long long)i * i;
//+ for (int i = first; i < n; i += step) sum += i * i;
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void sum_of_squares(int n, unsigned long long *total) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  long long sum = 0;
  for (int i = first; i < n; i += step) sum += (long long)i * i;
  atomicAdd(total, (unsigned long long)sum);
}

int main() {
  const long long n = 50000;
  unsigned long long *device, host;
  cudaMalloc(&device, sizeof(*device));
  cudaMemset(device, 0, sizeof(*device));
  sum_of_squares<<<4, 64>>>(n, device);
  cudaMemcpy(&host, device, sizeof(host), cudaMemcpyDeviceToHost);
  const unsigned long long expected = (n - 1) * n * (2 * n - 1) / 6;
  printf("%llu, and by the formula %llu\n", host, expected);
  cudaFree(device);
  return host != expected;
}
