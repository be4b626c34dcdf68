//: defect depends-on-the-clock: order-dependent|race|nondeterministic
//- out[i] = in[i] + noise(seed + i);
//+ out[i] = in[i] + noise(seed + i + unsigned(clock64()));
#include <cuda_runtime.h>

__device__ float noise(unsigned state) {
  state ^= state << 13;
  state ^= state >> 17;
  state ^= state << 5;
  return (state & 0xffff) / 65536.0f;
}

__global__ void add_noise(const float *in, float *out, unsigned seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i] + noise(seed + i);
  }
}

void disturb(const float *host, float *result, unsigned seed, int n) {
  float *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_in, host, n * sizeof(float), cudaMemcpyHostToDevice);
  add_noise<<<(n + 255) / 256, 256>>>(d_in, d_out, seed, n);
  cudaMemcpy(result, d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_in);
  cudaFree(d_out);
}
