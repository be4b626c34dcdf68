//: defect bins-of-the-block-hold-rubbish: uninitialised-read
//- for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
//+ if (threadIdx.x == 0) local[0] = 0;
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void histogram256(const unsigned char *data, size_t size, unsigned int *histogram) {
  __shared__ unsigned int local[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
  __syncthreads();
  size_t i = threadIdx.x + (size_t)blockIdx.x * blockDim.x;
  const size_t stride = (size_t)blockDim.x * gridDim.x;
  while (i < size) {
    atomicAdd(&local[data[i]], 1u);
    i += stride;
  }
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(&histogram[b], local[b]);
}

int main() {
  const size_t size = 10007;
  unsigned char *data = new unsigned char[size];
  for (size_t i = 0; i < size; ++i) data[i] = (unsigned char)((i * i + 3 * i) >> 3);
  unsigned char *dev_data;
  unsigned int *dev_histogram;
  cudaMalloc(&dev_data, size);
  cudaMalloc(&dev_histogram, 256 * sizeof(unsigned int));
  cudaMemset(dev_histogram, 0, 256 * sizeof(unsigned int));
  cudaMemcpy(dev_data, data, size, cudaMemcpyHostToDevice);
  histogram256<<<4, 192>>>(dev_data, size, dev_histogram);
  unsigned int histogram[256];
  cudaMemcpy(histogram, dev_histogram, sizeof(histogram), cudaMemcpyDeviceToHost);
  for (size_t i = 0; i < size; ++i) --histogram[data[i]];
  bool ok = true;
  for (int b = 0; b < 256; ++b) ok = ok && histogram[b] == 0;
  cudaFree(dev_data);
  cudaFree(dev_histogram);
  delete[] data;
  printf(ok ? "histogram is right\n" : "histogram is WRONG\n");
  return ok ? 0 : 1;
}
