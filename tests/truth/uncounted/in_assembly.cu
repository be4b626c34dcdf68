// Loops in assembly, of which no compiler knows the pieces.
__global__ void sum_squares(const float *in, float *out, int n) {
  if (threadIdx.x != 0) return;
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x; i < int((blockIdx.x + 1) * blockDim.x) && i < n; ++i) sum += in[i] * in[i];
  long left = 1000000;
  asm volatile("1: dec %0\n jnz 1b" : "+r"(left));
  out[blockIdx.x] = sum;
}
