//: defect width-and-height-change-places: out-of-bounds|uninitialised-read|uninitialised-output|race|order-dependent
//- rotated[x * height + (height - 1 - y)] = image[y * width + x];
//+ rotated[x * width + (height - 1 - y)] = image[y * width + x];
#include <cuda_runtime.h>

__global__ void rotate_clockwise(const unsigned char* image, unsigned char* rotated, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  rotated[x * height + (height - 1 - y)] = image[y * width + x];
}

bool rotate(const unsigned char* host_image, unsigned char* host_rotated, int width, int height) {
  if (width <= 0 || height <= 0) return false;
  unsigned char *image, *rotated;
  const size_t bytes = (size_t)width * height;
  if (cudaMalloc(&image, bytes) || cudaMalloc(&rotated, bytes)) return false;
  cudaMemcpy(image, host_image, bytes, cudaMemcpyHostToDevice);
  const dim3 block(16, 8);
  const dim3 grid((width + 15) / 16, (height + 7) / 8);
  rotate_clockwise<<<grid, block>>>(image, rotated, width, height);
  cudaMemcpy(host_rotated, rotated, bytes, cudaMemcpyDeviceToHost);
  cudaFree(image);
  cudaFree(rotated);
  return true;
}
