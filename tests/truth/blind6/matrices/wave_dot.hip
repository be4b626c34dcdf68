//: defect waves-have-thirty-two-lanes: own-check|lanes
//- for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down(sum, offset);
//-   if (threadIdx.x % warpSize == 0) atomicAdd(result, sum);
//+ for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down(sum, offset);
//+   if (threadIdx.x % 64 == 0) atomicAdd(result, sum);
#include <hip/hip_runtime.h>
// hipcc --offload-arch=gfx90a wave_dot.hip -o wave_dot

#include <cstdio>
#include <vector>

__global__ __launch_bounds__(256) void dot(const int* a, const int* b, int* result, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += a[i] * b[i];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down(sum, offset);
  if (threadIdx.x % warpSize == 0) atomicAdd(result, sum);
}

int main() {
  const int n = 1500;
  std::vector<int> a(n), b(n);
  int expected = 0, result = 0;
  for (int i = 0; i < n; ++i) {
    a[i] = i % 13 - 6;
    b[i] = i % 17 + 1;
    expected += a[i] * b[i];
  }
  int *d_a, *d_b, *d_result;
  (void)hipMalloc(&d_a, n * sizeof(int));
  (void)hipMalloc(&d_b, n * sizeof(int));
  (void)hipMalloc(&d_result, sizeof(int));
  (void)hipMemcpy(d_a, a.data(), n * sizeof(int), hipMemcpyHostToDevice);
  (void)hipMemcpy(d_b, b.data(), n * sizeof(int), hipMemcpyHostToDevice);
  (void)hipMemset(d_result, 0, sizeof(int));
  dot<<<3, 256>>>(d_a, d_b, d_result, n);
  (void)hipMemcpy(&result, d_result, sizeof(int), hipMemcpyDeviceToHost);
  (void)hipFree(d_a);
  (void)hipFree(d_b);
  (void)hipFree(d_result);
  if (result != expected) {
    std::printf("got %d, expected %d\n", result, expected);
    return 1;
  }
  std::printf("dot product is %d\n", result);
  return 0;
}
