//: defect one-branch-sets-nothing: uninitialised-read
//- float factor = 1.0f;
//+ float factor;
#include <cuda_runtime.h>

__global__ void scale_positive(const float *in, float *out, float gain, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float factor = 1.0f;
    if (in[i] > 0.0f) factor = gain;
    out[i] = in[i] * factor;
  }
}

void scale(const float *host, float *result, float gain, int n) {
  float *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_in, host, n * sizeof(float), cudaMemcpyHostToDevice);
  scale_positive<<<(n + 255) / 256, 256>>>(d_in, d_out, gain, n);
  cudaMemcpy(result, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
}
