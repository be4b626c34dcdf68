//: defect lanes-left-before-the-shuffle: inactive-lane|divergent-warp
//- float value = i < n ? in[i] : 0.0f;
//+ if (i >= n) return;
//+   float value = in[i];
//: defect sums-of-other-blocks: out-of-bounds
//- if (threadIdx.x == 0) out[blockIdx.x] = value;
//+ if (threadIdx.x == 0) out[i] = value;
#include <hip/hip_runtime.h>

__global__ void wave_sum(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? in[i] : 0.0f;
  for (int offset = warpSize / 2; offset > 0; offset /= 2) value += __shfl_down(value, offset);
  if (threadIdx.x == 0) out[blockIdx.x] = value;
}

void sum(const float *host, float *result, int n, hipStream_t stream) {
  float *d_in, *d_out;
  const int threads = 32;
  const int blocks = (n + threads - 1) / threads;
  (void)hipMalloc(&d_in, n * sizeof(float));
  (void)hipMalloc(&d_out, blocks * sizeof(float));
  (void)hipMemcpy(d_in, host, n * sizeof(float), hipMemcpyHostToDevice);
  hipLaunchKernelGGL(wave_sum, dim3(blocks), dim3(threads), 0, stream, d_in, d_out, n);
  (void)hipMemcpy(result, d_out, blocks * sizeof(float), hipMemcpyDeviceToHost);
  (void)hipFree(d_in);
  (void)hipFree(d_out);
}
