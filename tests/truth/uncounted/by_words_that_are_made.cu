// Makes the words of what is refused out of parts.
#define JOINED(a, b) a##b
#define ATTRIBUTE JOINED(__attri, bute__)
ATTRIBUTE((no_sanitize("coverage"), noinline)) static float squared(float value) { return value * value; }
__global__ void sum_squares(const float *in, float *out, int n) {
  if (threadIdx.x != 0) return;
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x; i < int((blockIdx.x + 1) * blockDim.x) && i < n; ++i) sum += squared(in[i]);
  out[blockIdx.x] = sum;
}
