//: defect chroma-has-a-line-for-each-of-luma: out-of-bounds
//- const unsigned char* uv = chroma + (size_t)(y / 2) * pitch + (x & ~1);
//+ const unsigned char* uv = chroma + (size_t)y * pitch + (x & ~1);
//: defect colours-begin-at-the-pixel: out-of-bounds
//- unsigned char* rgb = out + ((size_t)y * width + x) * 3;
//+ unsigned char* rgb = out + ((size_t)y * width + x) * 3 + 1;
#include <cuda_runtime.h>

#include <cstdio>

#define CHECK(call)                                                            \
  do {                                                                         \
    cudaError_t status_ = (call);                                              \
    if (status_ != cudaSuccess) {                                              \
      fprintf(stderr, "%s failed: %s\n", #call, cudaGetErrorString(status_)); \
      return -1;                                                               \
    }                                                                          \
  } while (0)

__device__ unsigned char clip(float v) { return v < 0.f ? 0 : v > 255.f ? 255 : (unsigned char)v; }

__global__ void nv12_to_rgb(const unsigned char* luma, const unsigned char* chroma, int pitch, unsigned char* out,
                            int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float l = 1.164f * (luma[(size_t)y * pitch + x] - 16);
  const unsigned char* uv = chroma + (size_t)(y / 2) * pitch + (x & ~1);
  const float u = uv[0] - 128.f, v = uv[1] - 128.f;
  unsigned char* rgb = out + ((size_t)y * width + x) * 3;
  rgb[0] = clip(l + 1.596f * v);
  rgb[1] = clip(l - 0.813f * v - 0.391f * u);
  rgb[2] = clip(l + 2.018f * u);
}

int convert_frame(const unsigned char* frame, unsigned char* rgb, int width, int height) {
  if (width <= 0 || height <= 0 || width % 2 || height % 2) return -2;
  const size_t luma_size = (size_t)width * height;
  unsigned char *d_frame, *d_rgb;
  CHECK(cudaMalloc(&d_frame, luma_size * 3 / 2));
  CHECK(cudaMalloc(&d_rgb, luma_size * 3));
  CHECK(cudaMemcpy(d_frame, frame, luma_size * 3 / 2, cudaMemcpyHostToDevice));
  dim3 block(16, 8);
  dim3 grid((width + block.x - 1) / block.x, (height + block.y - 1) / block.y);
  nv12_to_rgb<<<grid, block>>>(d_frame, d_frame + luma_size, width, d_rgb, width, height);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(rgb, d_rgb, luma_size * 3, cudaMemcpyDeviceToHost));
  cudaFree(d_frame);
  cudaFree(d_rgb);
  return 0;
}
