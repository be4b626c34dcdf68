//: defect carry-is-replaced-before-all-have-read-it: race
//- __syncthreads();  // everyone has the old carry
//+
//: defect carry-begins-with-rubbish: uninitialised-read
//- if (threadIdx.x == 0) carry = 0;
//+
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kTile = 128;

// Running sums along each row of an image.
__global__ void integral_rows(const uint8_t* image, uint32_t* sums, int width) {
  __shared__ uint32_t tile[kTile];
  __shared__ uint32_t carry;
  const uint8_t* row = image + (size_t)blockIdx.x * width;
  uint32_t* out = sums + (size_t)blockIdx.x * width;
  if (threadIdx.x == 0) carry = 0;
  for (int base = 0; base < width; base += kTile) {
    const int x = base + threadIdx.x;
    tile[threadIdx.x] = x < width ? row[x] : 0;
    __syncthreads();
    for (int step = 1; step < kTile; step *= 2) {
      uint32_t left = threadIdx.x >= step ? tile[threadIdx.x - step] : 0;
      __syncthreads();
      tile[threadIdx.x] += left;
      __syncthreads();
    }
    const uint32_t sum = tile[threadIdx.x] + carry;
    if (x < width) out[x] = sum;
    __syncthreads();  // everyone has the old carry
    if (threadIdx.x == kTile - 1) carry = sum;
    __syncthreads();
  }
}

extern "C" int integral_image_rows(const uint8_t* host_image, uint32_t* host_sums, int width, int height) {
  if (width <= 0 || height <= 0) return 0;
  uint8_t* image = nullptr;
  uint32_t* sums = nullptr;
  const size_t count = (size_t)width * height;
  if (cudaMalloc((void**)&image, count) != cudaSuccess) return 1;
  if (cudaMalloc((void**)&sums, count * sizeof(uint32_t)) != cudaSuccess) {
    cudaFree(image);
    return 1;
  }
  cudaMemcpy(image, host_image, count, cudaMemcpyHostToDevice);
  integral_rows<<<height, kTile>>>(image, sums, width);
  cudaMemcpy(host_sums, sums, count * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  cudaFree(image);
  cudaFree(sums);
  return 0;
}
