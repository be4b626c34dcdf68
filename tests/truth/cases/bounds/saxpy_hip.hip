//: defect guards-one-too-many: out-of-bounds
//- if (i < n) y[i] = a * x[i] + y[i];
//+ if (i <= n) y[i] = a * x[i] + y[i];
//: defect writes-the-neighbour: out-of-bounds|race
//- if (i < n) y[i] = a * x[i] + y[i];
//+ if (i < n) y[i + 1] = a * x[i] + y[i];
#include <hip/hip_runtime.h>
#include <iostream>
#include <vector>

#define HIP_CHECK(condition)                                                 \
  {                                                                          \
    const hipError_t error = condition;                                      \
    if (error != hipSuccess) {                                               \
      std::cerr << hipGetErrorString(error) << std::endl;                    \
      std::exit(-1);                                                         \
    }                                                                        \
  }

__global__ void saxpy_kernel(const float a, const float *x, float *y, const unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
  constexpr unsigned size = 1000000;
  constexpr size_t size_bytes = size * sizeof(float);
  constexpr unsigned block_size = 256;
  constexpr unsigned grid_size = (size + block_size - 1) / block_size;
  std::vector<float> x(size, 1.f), y(size, 1.f);
  float *d_x{}, *d_y{};
  HIP_CHECK(hipMalloc(&d_x, size_bytes));
  HIP_CHECK(hipMalloc(&d_y, size_bytes));
  HIP_CHECK(hipMemcpy(d_x, x.data(), size_bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(d_y, y.data(), size_bytes, hipMemcpyHostToDevice));
  saxpy_kernel<<<dim3(grid_size), dim3(block_size), 0, hipStreamDefault>>>(2.f, d_x, d_y, size);
  HIP_CHECK(hipMemcpy(y.data(), d_y, size_bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(d_x));
  HIP_CHECK(hipFree(d_y));
}
