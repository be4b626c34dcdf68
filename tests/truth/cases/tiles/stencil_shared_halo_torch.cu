//: defect the-right-halo-is-missing: uninitialised-read
//- if (threadIdx.x < RADIUS) tile[threadIdx.x + RADIUS + blockDim.x] = load(input, i + (int)blockDim.x, n);
//+
//: defect the-barrier-is-missing: race|uninitialised-read
//- __syncthreads();
//+
//: defect the-tile-has-one-halo: array-bounds|out-of-bounds
//- __shared__ float tile[THREADS + 2 * RADIUS];
//+ __shared__ float tile[THREADS + RADIUS];
//: defect writes-beyond: out-of-bounds
//- if (i < n) output[i] = sum / (2 * RADIUS + 1);
//+ output[i] = sum / (2 * RADIUS + 1);
#include <torch/extension.h>
#define RADIUS 3
#define THREADS 128

__device__ __forceinline__ float load(const float *input, int at, int n) {
  return at >= 0 && at < n ? input[at] : 0.f;
}

__global__ void box_filter(const float *input, float *output, int n) {
  __shared__ float tile[THREADS + 2 * RADIUS];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x + RADIUS] = load(input, i, n);
  if (threadIdx.x < RADIUS) tile[threadIdx.x] = load(input, i - RADIUS, n);
  if (threadIdx.x < RADIUS) tile[threadIdx.x + RADIUS + blockDim.x] = load(input, i + (int)blockDim.x, n);
  __syncthreads();
  float sum = 0.f;
  for (int d = 0; d <= 2 * RADIUS; d++) sum += tile[threadIdx.x + d];
  if (i < n) output[i] = sum / (2 * RADIUS + 1);
}

torch::Tensor filter(torch::Tensor input) {
  TORCH_CHECK(input.is_cuda() && input.is_contiguous());
  auto output = torch::empty_like(input);
  const int n = input.numel();
  box_filter<<<(n + THREADS - 1) / THREADS, THREADS>>>(input.data_ptr<float>(), output.data_ptr<float>(), n);
  return output;
}
