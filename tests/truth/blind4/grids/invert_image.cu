//: defect blocks-lie-in-one-row: uninitialised-read|uninitialised-output
//- const dim3 grid((width + 15) / 16, (height + 15) / 16);
//+ const dim3 grid((width + 15) / 16);
#include <cuda_runtime.h>

__global__ void invert_image(const unsigned char* in, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = 255 - in[y * width + x];
}

int invert(const unsigned char* host_in, unsigned char* host_out, int width, int height) {
  if (width < 1 || height < 1) return 1;
  const size_t size = sizeof(unsigned char) * width * height;
  unsigned char *in = nullptr, *out = nullptr;
  if (cudaMalloc((void**)&in, size) != cudaSuccess || cudaMalloc((void**)&out, size) != cudaSuccess) return 2;
  cudaMemcpy(in, host_in, size, cudaMemcpyHostToDevice);
  const dim3 grid((width + 15) / 16, (height + 15) / 16);
  invert_image<<<grid, dim3(16, 16)>>>(in, out, width, height);
  cudaMemcpy(host_out, out, size, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  return 0;
}
