// One thread adds up what all have squared, the last first.
__global__ void sum_squares(const float *in, float *out, int n) {
  extern __shared__ float partial[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] * in[i] : 0.f;
  __syncthreads();
  if (threadIdx.x != 0) return;
  float sum = 0.f;
  for (int thread = blockDim.x - 1; thread >= 0; --thread) sum += partial[thread];
  out[blockIdx.x] = sum;
}
