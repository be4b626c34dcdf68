//: defect rows-are-as-far-apart-as-pixels-say: out-of-bounds
//- const unsigned char *row = (const unsigned char *)((const char *)image + y * pitch);
//+ const unsigned char *row = image + y * pitch * 3;
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

/* image has three bytes a pixel, and rows that lie `pitch` bytes apart */
__global__ void to_grey(const unsigned char *image, size_t pitch, unsigned char *grey, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const unsigned char *row = (const unsigned char *)((const char *)image + y * pitch);
  grey[y * width + x] = (unsigned char)((row[3 * x] * 30 + row[3 * x + 1] * 59 + row[3 * x + 2] * 11) / 100);
}

int main(void) {
  const int width = 37, height = 21;
  unsigned char *image = (unsigned char *)malloc(width * height * 3), *grey = (unsigned char *)malloc(width * height);
  for (int i = 0; i < width * height * 3; ++i) image[i] = (unsigned char)(i * 73);
  unsigned char *d_image, *d_grey;
  size_t pitch;
  cudaMallocPitch((void **)&d_image, &pitch, width * 3, height);
  cudaMalloc((void **)&d_grey, width * height);
  cudaMemcpy2D(d_image, pitch, image, width * 3, width * 3, height, cudaMemcpyHostToDevice);
  dim3 block(16, 8), grid((width + 15) / 16, (height + 7) / 8);
  to_grey<<<grid, block>>>(d_image, pitch, d_grey, width, height);
  cudaMemcpy(grey, d_grey, width * height, cudaMemcpyDeviceToHost);
  unsigned sum = 0;
  for (int i = 0; i < width * height; ++i) sum += grey[i];
  printf("mean grey: %.2f\n", (double)sum / (width * height));
  cudaFree(d_image);
  cudaFree(d_grey);
  free(image);
  free(grey);
  return 0;
}
