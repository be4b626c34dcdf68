//: defect copies-the-padding-too: out-of-bounds
//- if (x < width && y < height) to[y * width + x] = from[y * pitch + x];
//+ if (x < pitch && y < height) to[y * width + x] = from[y * pitch + x];
//: defect source-without-its-pitch: out-of-bounds
//- if (x < width && y < height) to[y * width + x] = from[y * pitch + x];
//+ if (x < width && y < height) to[y * pitch + x] = from[y * pitch + x];
#include <cuda_runtime.h>
#include <stdexcept>

template <typename T> T *device_array(size_t count) {
  T *array = nullptr;
  if (cudaMalloc(&array, count * sizeof(T)) != cudaSuccess) throw std::runtime_error("no memory");
  return array;
}

__global__ void remove_padding(const float *from, float *to, int width, int height, int pitch) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) to[y * width + x] = from[y * pitch + x];
}

void pack_rows(const float *host, float *result, int width, int height) {
  int pitch = (width + 31) / 32 * 32;
  float *d_from = device_array<float>(pitch * height);
  float *d_to = device_array<float>(width * height);
  cudaMemcpy(d_from, host, pitch * height * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(32, 4);
  dim3 grid((width + 31) / 32, (height + 3) / 4);
  remove_padding<<<grid, block>>>(d_from, d_to, width, height, pitch);
  cudaMemcpy(result, d_to, width * height * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_from);
  cudaFree(d_to);
}
