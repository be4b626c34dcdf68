//: defect reads-a-fourth-channel: out-of-bounds
//- unsigned char b = rgb[3 * i + 2];
//+ unsigned char b = rgb[3 * i + 3];
//: defect ignores-the-height: out-of-bounds
//- if (x >= width || y >= height) return;
//+ if (x >= width) return;
#include <cuda_runtime.h>

__global__ void rgb_to_grey(const unsigned char *rgb, unsigned char *grey, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  unsigned char r = rgb[3 * i];
  unsigned char g = rgb[3 * i + 1];
  unsigned char b = rgb[3 * i + 2];
  grey[i] = (unsigned char)((77 * r + 150 * g + 29 * b) >> 8);
}

extern "C" int convert(const unsigned char *image, unsigned char *result, int width, int height) {
  unsigned char *d_rgb = nullptr, *d_grey = nullptr;
  const int pixels = width * height;
  if (cudaMalloc(&d_rgb, pixels * 3) != cudaSuccess) return 1;
  if (cudaMalloc(&d_grey, pixels) != cudaSuccess) return 1;
  cudaMemcpy(d_rgb, image, pixels * 3, cudaMemcpyHostToDevice);
  dim3 threads(32, 8);
  dim3 blocks((width + threads.x - 1) / threads.x, (height + threads.y - 1) / threads.y);
  rgb_to_grey<<<blocks, threads>>>(d_rgb, d_grey, width, height);
  cudaMemcpy(result, d_grey, pixels, cudaMemcpyDeviceToHost);
  cudaFree(d_rgb);
  cudaFree(d_grey);
  return 0;
}
