//: defect blocks-add-without-atomics: race|order-dependent
//- if (threadIdx.x == 0) atomicAdd(&total[blockIdx.y], cache[0]);
//+ if (threadIdx.x == 0) total[blockIdx.y] += cache[0];
#include <torch/extension.h>

__global__ void channel_totals(const float* x, float* total, int per_channel) {
  extern __shared__ float cache[];
  const float* channel = x + blockIdx.y * per_channel;
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < per_channel; i += blockDim.x * gridDim.x) sum += channel[i];
  cache[threadIdx.x] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) atomicAdd(&total[blockIdx.y], cache[0]);
}

torch::Tensor sum_channels(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 3 && x.is_contiguous(), "(channels, height, width)");
  TORCH_CHECK(x.scalar_type() == torch::kFloat32);
  const int channels = x.size(0), per_channel = x.size(1) * x.size(2);
  auto total = torch::zeros({channels}, x.options());
  if (x.numel() == 0) return total;
  const int threads = 128;
  const dim3 blocks(std::min(32, (per_channel + threads - 1) / threads), channels);
  channel_totals<<<blocks, threads, threads * sizeof(float)>>>(x.data_ptr<float>(), total.data_ptr<float>(), per_channel);
  return total;
}
