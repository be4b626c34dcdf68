//: defect table-is-half-loaded: uninitialised-read
//- for (int k = threadIdx.x; k < 256; k += blockDim.x) table[k] = palette[k];
//+ for (int k = threadIdx.x; k < 128; k += blockDim.x) table[k] = palette[k];
//: defect table-is-used-too-early: race|uninitialised-read
//- __syncthreads();
//+
#include <cuda_runtime.h>

__global__ void apply_palette(const unsigned char *image, const float *palette, float *out, int n) {
  __shared__ float table[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) table[k] = palette[k];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = table[image[i]];
}

void colour(const unsigned char *image, const float *palette, float *result, int n) {
  unsigned char *d_image;
  float *d_palette, *d_out;
  cudaMalloc(&d_image, n * sizeof(unsigned char));
  cudaMalloc(&d_palette, 256 * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_image, image, n, cudaMemcpyHostToDevice);
  cudaMemcpy(d_palette, palette, 256 * sizeof(float), cudaMemcpyHostToDevice);
  apply_palette<<<(n + 127) / 128, 128>>>(d_image, d_palette, d_out, n);
  cudaMemcpy(result, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_image);
  cudaFree(d_palette);
  cudaFree(d_out);
}
