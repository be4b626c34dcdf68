//: defect a-load-that-is-not-aligned: misaligned
//- float4 v = reinterpret_cast<const float4 *>(in)[i];
//+ float4 v = *reinterpret_cast<const float4 *>(in + 4 * i + 1);
//: defect a-vector-too-many: out-of-bounds
//- if (i < n / 4) {
//+ if (i <= n / 4) {
#include <cuda_runtime.h>

__global__ void scale_vectors(const float *in, float *out, float factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 v = reinterpret_cast<const float4 *>(in)[i];
    v.x *= factor;
    v.y *= factor;
    v.z *= factor;
    v.w *= factor;
    reinterpret_cast<float4 *>(out)[i] = v;
  }
  int tail = n / 4 * 4 + i;
  if (tail < n) out[tail] = in[tail] * factor;
}

void scale(const float *host, float *result, float factor, int n) {
  float *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(float) + 16);
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_in, host, n * sizeof(float), cudaMemcpyHostToDevice);
  scale_vectors<<<(n / 4 + 255) / 256 + 1, 256>>>(d_in, d_out, factor, n);
  cudaMemcpy(result, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
}
