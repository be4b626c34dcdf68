// Other names.
__global__ void sum_squares(const float *values, float *sums, int count) {
  extern __shared__ float scratch[];
  const int lane = threadIdx.x, at = blockIdx.x * blockDim.x + lane;
  const float value = at < count ? values[at] : 0.f;
  scratch[lane] = value * value;
  __syncthreads();
  for (int width = blockDim.x / 2; width > 0; width /= 2) {
    if (lane < width) scratch[lane] += scratch[lane + width];
    __syncthreads();
  }
  if (lane == 0) sums[blockIdx.x] = scratch[0];
}
