//: defect scan-reads-what-is-being-written: race
//- const int left = threadIdx.x >= offset ? sums[threadIdx.x - offset] : 0;
//-     __syncthreads();
//-     sums[threadIdx.x] += left;
//+ if (threadIdx.x >= offset) sums[threadIdx.x] += sums[threadIdx.x - offset];
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cuda_runtime.h"

#define WIDTH 128

// Summed rows of an image whose rows are at most WIDTH wide, as for a summed-area table.
__global__ void scan_rows(const int* image, int* table, int width) {
  __shared__ int sums[WIDTH];
  const int row = blockIdx.x;
  sums[threadIdx.x] = threadIdx.x < width ? image[row * width + threadIdx.x] : 0;
  __syncthreads();
  for (int offset = 1; offset < WIDTH; offset *= 2) {
    const int left = threadIdx.x >= offset ? sums[threadIdx.x - offset] : 0;
    __syncthreads();
    sums[threadIdx.x] += left;
    __syncthreads();
  }
  if (threadIdx.x < width) table[row * width + threadIdx.x] = sums[threadIdx.x];
}

int main(int argc, char** argv) {
  const int width = argc > 1 ? atoi(argv[1]) : 100;
  const int height = argc > 2 ? atoi(argv[2]) : 5;
  std::vector<int> image(width * height), table(width * height);
  for (int i = 0; i < width * height; i++) image[i] = rand() % 256;
  int *d_image, *d_table;
  cudaMalloc(&d_image, image.size() * sizeof(int));
  cudaMalloc(&d_table, table.size() * sizeof(int));
  cudaMemcpy(d_image, image.data(), image.size() * sizeof(int), cudaMemcpyHostToDevice);
  scan_rows<<<height, WIDTH>>>(d_image, d_table, width);
  cudaMemcpy(table.data(), d_table, table.size() * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_image);
  cudaFree(d_table);
  for (int y = 0; y < height; y++) {
    int sum = 0;
    for (int x = 0; x < width; x++) {
      sum += image[y * width + x];
      if (table[y * width + x] != sum) {
        printf("Mismatch at (%d, %d): %d vs %d\n", x, y, table[y * width + x], sum);
        return EXIT_FAILURE;
      }
    }
  }
  printf("Test passed\n");
  return EXIT_SUCCESS;
}
