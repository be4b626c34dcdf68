//: defect halo-is-only-on-one-axis: out-of-bounds
//- const size_t bytes = (TILE + 2 * radius) * (TILE + 2 * radius) * sizeof(float);
//+ const size_t bytes = (TILE + 2 * radius) * TILE * sizeof(float);
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

#define TILE 8

__device__ int clamped(int at, int end) { return at < 0 ? 0 : at >= end ? end - 1 : at; }

/* mean of a square window, whose pixels are brought to shared memory with their surroundings */
__global__ void box_mean(const float *image, float *mean, int width, int height, int radius) {
  extern __shared__ float window[];
  const int side = TILE + 2 * radius;
  const int left = blockIdx.x * TILE - radius, top = blockIdx.y * TILE - radius;
  for (int y = threadIdx.y; y < side; y += TILE)
    for (int x = threadIdx.x; x < side; x += TILE)
      window[y * side + x] = image[clamped(top + y, height) * width + clamped(left + x, width)];
  __syncthreads();
  const int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
  if (column >= width || row >= height) return;
  float sum = 0;
  for (int dy = 0; dy <= 2 * radius; ++dy)
    for (int dx = 0; dx <= 2 * radius; ++dx) sum += window[(threadIdx.y + dy) * side + threadIdx.x + dx];
  mean[row * width + column] = sum / ((2 * radius + 1) * (2 * radius + 1));
}

int main(void) {
  const int width = 45, height = 29, radius = 2;
  const size_t image_bytes = width * height * sizeof(float);
  float *image = (float *)malloc(image_bytes), *mean = (float *)malloc(image_bytes);
  for (int i = 0; i < width * height; ++i) image[i] = (float)(i * 37 % 256);
  float *d_image, *d_mean;
  cudaMalloc((void **)&d_image, image_bytes);
  cudaMalloc((void **)&d_mean, image_bytes);
  cudaMemcpy(d_image, image, image_bytes, cudaMemcpyHostToDevice);
  const size_t bytes = (TILE + 2 * radius) * (TILE + 2 * radius) * sizeof(float);
  dim3 block(TILE, TILE), grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
  box_mean<<<grid, block, bytes>>>(d_image, d_mean, width, height, radius);
  cudaMemcpy(mean, d_mean, image_bytes, cudaMemcpyDeviceToHost);
  printf("centre: %f\n", mean[height / 2 * width + width / 2]);
  cudaFree(d_image);
  cudaFree(d_mean);
  free(image);
  free(mean);
  return 0;
}
