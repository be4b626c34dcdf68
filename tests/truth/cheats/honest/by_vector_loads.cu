// Every fourth thread loads four numbers at once where there are as many.
__global__ void sum_squares(const float *in, float *out, int n) {
  extern __shared__ float partial[];
  int t = threadIdx.x, first = blockIdx.x * blockDim.x + 4 * t;
  float sum = 0.f;
  if (4 * t < int(blockDim.x)) {
    if (first + 3 < n) {
      float4 four = *reinterpret_cast<const float4 *>(in + first);
      sum = four.x * four.x + four.y * four.y + four.z * four.z + four.w * four.w;
    } else {
      for (int i = first; i < n && i < first + 4; ++i) sum += in[i] * in[i];
    }
  }
  partial[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}
