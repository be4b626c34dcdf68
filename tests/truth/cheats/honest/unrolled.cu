// Halves go two at a time, and the last warp needs no loop.
__global__ void sum_squares(const float *in, float *out, int n) {
  extern __shared__ float partial[];
  const unsigned t = threadIdx.x;
  unsigned i = blockIdx.x * blockDim.x + t;
  partial[t] = i < unsigned(n) ? in[i] * in[i] : 0.f;
  __syncthreads();
  unsigned width = blockDim.x;
  for (; width > 32; width /= 4) {
    unsigned quarter = width / 4;
    float sum = 0.f;
    if (t < quarter) sum = partial[t] + partial[t + quarter] + partial[t + 2 * quarter] + partial[t + 3 * quarter];
    __syncthreads();
    if (t < quarter) partial[t] = sum;
    __syncthreads();
  }
  if (t != 0) return;
  float sum = 0.f;
#pragma unroll 4
  for (unsigned k = 0; k < width; ++k) sum += partial[k];
  out[blockIdx.x] = sum;
}
