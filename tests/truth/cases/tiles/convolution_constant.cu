//: defect the-halo-is-not-guarded: out-of-bounds
//- if (at >= 0 && at < n) sum += in[at] * taps[k];
//+ sum += in[at] * taps[k];
//: defect a-tap-too-many: out-of-bounds|array-bounds
//- for (int k = 0; k < TAPS; k++) {
//+ for (int k = 0; k <= TAPS; k++) {
#include <cuda_runtime.h>

#define TAPS 9
__constant__ float taps[TAPS];

__global__ void convolve_1d(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < TAPS; k++) {
    int at = i + k - TAPS / 2;
    if (at >= 0 && at < n) sum += in[at] * taps[k];
  }
  out[i] = sum;
}

void convolve(const float *signal, const float *filter, float *result, int n) {
  float *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpyToSymbol(taps, filter, TAPS * sizeof(float));
  cudaMemcpy(d_in, signal, n * sizeof(float), cudaMemcpyHostToDevice);
  convolve_1d<<<(n + 255) / 256, 256>>>(d_in, d_out, n);
  cudaMemcpy(result, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
}
