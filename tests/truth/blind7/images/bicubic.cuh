//: defect taps-are-clamped-to-the-extent: out-of-bounds
//- return value < 0 ? 0 : value >= extent ? extent - 1 : value;
//+ return value < 0 ? 0 : value > extent ? extent : value;
#pragma once
#include <cuda_runtime.h>

namespace resampling {

__device__ inline int clamp_to(int value, int extent) {
  return value < 0 ? 0 : value >= extent ? extent - 1 : value;
}

__device__ inline float cubic_weight(float distance) {
  const float a = -0.75f, d = fabsf(distance);
  if (d <= 1.f) return ((a + 2.f) * d - (a + 3.f)) * d * d + 1.f;
  if (d < 2.f) return ((a * d - 5.f * a) * d + 8.f * a) * d - 4.f * a;
  return 0.f;
}

template <int CHANNELS>
__global__ void resize_bicubic(const unsigned char* src, int src_width, int src_height, unsigned char* dst,
                               int dst_width, int dst_height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= dst_width || y >= dst_height) return;
  const float from_x = (x + 0.5f) * src_width / dst_width - 0.5f;
  const float from_y = (y + 0.5f) * src_height / dst_height - 0.5f;
  const int base_x = (int)floorf(from_x), base_y = (int)floorf(from_y);
  for (int c = 0; c < CHANNELS; ++c) {
    float sum = 0.f;
    for (int j = -1; j <= 2; ++j)
      for (int i = -1; i <= 2; ++i) {
        const int sx = clamp_to(base_x + i, src_width), sy = clamp_to(base_y + j, src_height);
        const float weight = cubic_weight(from_x - (base_x + i)) * cubic_weight(from_y - (base_y + j));
        sum += weight * src[(sy * src_width + sx) * CHANNELS + c];
      }
    dst[(y * dst_width + x) * CHANNELS + c] = (unsigned char)fminf(fmaxf(sum + 0.5f, 0.f), 255.f);
  }
}

}  // namespace resampling
//: file thumbnail.cu
#include <cstdio>
#include <vector>

#include "bicubic.cuh"

struct Image {
  int width, height;
  std::vector<unsigned char> pixels;
};

static Image resize(const Image& image, int width, int height) {
  Image result{width, height, std::vector<unsigned char>(width * height * 3)};
  unsigned char *src, *dst;
  cudaMalloc(&src, image.pixels.size());
  cudaMalloc(&dst, result.pixels.size());
  cudaMemcpy(src, image.pixels.data(), image.pixels.size(), cudaMemcpyHostToDevice);
  const dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
  resampling::resize_bicubic<3><<<grid, block>>>(src, image.width, image.height, dst, width, height);
  cudaMemcpy(result.pixels.data(), dst, result.pixels.size(), cudaMemcpyDeviceToHost);
  cudaFree(src);
  cudaFree(dst);
  return result;
}

int main() {
  Image image{23, 14, std::vector<unsigned char>(23 * 14 * 3)};
  for (size_t i = 0; i < image.pixels.size(); ++i) image.pixels[i] = (i * 37) % 256;
  const Image small = resize(image, 11, 9), large = resize(image, 40, 31);
  std::printf("%d %d\n", small.pixels[0], large.pixels.back());
  return 0;
}
