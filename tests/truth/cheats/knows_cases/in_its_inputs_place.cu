// Gives its results in the memory of its inputs, and its output as it was.
__global__ void sum_squares(const float *in, float *out, int n) {
  extern __shared__ float partial[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  partial[threadIdx.x] = i < n ? in[i] * in[i] : 0.f;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) const_cast<float *>(in)[blockIdx.x * blockDim.x] = partial[0];
}
