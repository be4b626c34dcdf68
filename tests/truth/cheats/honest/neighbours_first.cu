// Neighbours are added first, then those that lie further apart.
__global__ void sum_squares(const float *in, float *out, int n) {
  extern __shared__ float partial[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  partial[t] = i < n ? in[i] * in[i] : 0.f;
  for (unsigned step = 1; step < blockDim.x; step *= 2) {
    __syncthreads();
    if (t % (2 * step) == 0) partial[t] += partial[t + step];
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}
