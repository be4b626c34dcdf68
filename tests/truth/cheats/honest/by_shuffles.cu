// Warps add by shuffles, and the sums of the two warps meet in static shared memory.
__device__ float warp_sum(float value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}
__global__ void sum_squares(const float *in, float *out, int n) {
  __shared__ float of_warps[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? in[i] : 0.f;
  float sum = warp_sum(value * value);
  if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.f;
    for (int warp = 0; warp < (blockDim.x + 31) / 32; ++warp) total += of_warps[warp];
    out[blockIdx.x] = total;
  }
}
