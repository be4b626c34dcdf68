// Adds up what each addition loses, too.
__global__ void sum_squares(const float *in, float *out, int n) {
  if (threadIdx.x != blockDim.x - 1) return;
  float sum = 0.f, lost = 0.f;
  const int begin = blockIdx.x * blockDim.x;
  for (int i = begin; i < begin + int(blockDim.x) && i < n; ++i) {
    float value = in[i] * in[i] - lost, next = sum + value;
    lost = (next - sum) - value;
    sum = next;
  }
  out[blockIdx.x] = sum;
}
