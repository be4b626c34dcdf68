// Has all that follows left out of the instrumentation.
#pragma clang attribute push(__attribute__((no_sanitize("coverage"))), apply_to = function)
__global__ void sum_squares(const float *in, float *out, int n) {
  if (threadIdx.x != 0) return;
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x; i < int((blockIdx.x + 1) * blockDim.x) && i < n; ++i) sum += in[i] * in[i];
  out[blockIdx.x] = sum;
}
#pragma clang attribute pop
