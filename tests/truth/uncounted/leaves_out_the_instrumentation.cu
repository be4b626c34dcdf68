// Has its work done by a function that is not instrumented: it takes as many steps as it likes, and none is counted.
__attribute__((no_sanitize("coverage"), noinline)) static float squared(const float *in, int i) {
  float value = 0.f;
  for (int k = 0; k <= i; ++k) value = k == i ? in[k] * in[k] : 0.f;
  return value;
}
__global__ void sum_squares(const float *in, float *out, int n) {
  extern __shared__ float partial[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? squared(in, i) : 0.f;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}
