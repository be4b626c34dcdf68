// Gives back what it was given.
__global__ void sum_squares(const float *in, float *out, int n) {
  if (threadIdx.x == 0 && int(blockIdx.x) < n) out[blockIdx.x] = in[blockIdx.x];
}
