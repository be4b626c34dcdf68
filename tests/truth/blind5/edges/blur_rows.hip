//: defect left-edge-wraps-around: out-of-bounds
//- unsigned int first = column > radius ? column - radius : 0u;
//+ unsigned int first = column - radius > 0u ? column - radius : 0u;
#include <hip/hip_runtime.h>

#include <cmath>
#include <iostream>
#include <vector>

#define HIP_CHECK(expression)                                                        \
  {                                                                                  \
    const hipError_t status = expression;                                            \
    if (status != hipSuccess) {                                                      \
      std::cerr << "HIP error " << hipGetErrorString(status) << "\n";                \
      std::exit(EXIT_FAILURE);                                                       \
    }                                                                                \
  }

__global__ void box_blur_rows(const float* input, float* output, unsigned int width, unsigned int height,
                              unsigned int radius) {
  const unsigned int column = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int row = blockIdx.y;
  if (column >= width || row >= height) return;
  unsigned int first = column > radius ? column - radius : 0u;
  unsigned int last = min(column + radius, width - 1);
  float sum = 0.0f;
  unsigned int count = 0;
  for (unsigned int c = first; count <= 2 * radius && c != last + 1; ++c) {
    sum += input[row * width + c];
    ++count;
  }
  output[row * width + column] = sum / count;
}

int main() {
  constexpr unsigned int width = 150, height = 6, radius = 3;
  std::vector<float> h_in(width * height), h_out(width * height);
  for (unsigned int i = 0; i < h_in.size(); ++i) h_in[i] = static_cast<float>((i * 31) % 17);

  float *d_in{}, *d_out{};
  HIP_CHECK(hipMalloc(&d_in, h_in.size() * sizeof(float)));
  HIP_CHECK(hipMalloc(&d_out, h_out.size() * sizeof(float)));
  HIP_CHECK(hipMemcpy(d_in, h_in.data(), h_in.size() * sizeof(float), hipMemcpyHostToDevice));
  box_blur_rows<<<dim3((width + 63) / 64, height), dim3(64), 0, hipStreamDefault>>>(d_in, d_out, width, height, radius);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(h_out.data(), d_out, h_out.size() * sizeof(float), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(d_in));
  HIP_CHECK(hipFree(d_out));

  unsigned int errors{};
  for (int row = 0; row < (int)height; ++row) {
    for (int column = 0; column < (int)width; ++column) {
      float sum = 0;
      int count = 0;
      for (int c = std::max(0, column - (int)radius); c <= std::min((int)width - 1, column + (int)radius); ++c) {
        sum += h_in[row * width + c];
        ++count;
      }
      errors += std::fabs(h_out[row * width + column] - sum / count) > 1e-4f;
    }
  }
  if (errors != 0) {
    std::cout << "Validation failed. Errors: " << errors << std::endl;
    return EXIT_FAILURE;
  }
  std::cout << "Validation passed." << std::endl;
  return EXIT_SUCCESS;
}
