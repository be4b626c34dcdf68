//: defect scale-is-taken-by-element: out-of-bounds
//- const int channel = group * group_channels + i / plane;
//+ const int channel = group * group_channels + i;
//: defect sums-in-shared-memory-begin-with-rubbish: uninitialised-read
//- if (threadIdx.x == 0) sums[0] = sums[1] = 0.f;
//-   __syncthreads();
//+ __syncthreads();
//: defect nobody-waits-for-the-sums: race
//- atomicAdd(&sums[1], square);
//-   __syncthreads();
//+ atomicAdd(&sums[1], square);
//: defect idle-threads-leave-before-the-barrier: divergent-barrier
//- float sum = 0.f, square = 0.f;
//+ if (threadIdx.x >= size) return;
//+   float sum = 0.f, square = 0.f;
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

__global__ void group_norm_kernel(const float* x, const float* weight, const float* bias, float* y,
                                  const int groups, const int group_channels, const int plane, const float eps) {
  __shared__ float sums[2];
  const int group = blockIdx.x % groups;
  const int size = group_channels * plane;
  const float* from = x + (size_t)blockIdx.x * size;
  float* to = y + (size_t)blockIdx.x * size;
  if (threadIdx.x == 0) sums[0] = sums[1] = 0.f;
  __syncthreads();

  float sum = 0.f, square = 0.f;
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    sum += from[i];
    square += from[i] * from[i];
  }
  atomicAdd(&sums[0], sum);
  atomicAdd(&sums[1], square);
  __syncthreads();

  const float mean = sums[0] / size;
  const float scale = rsqrtf(fmaxf(sums[1] / size - mean * mean, 0.f) + eps);
  for (int i = threadIdx.x; i < size; i += blockDim.x) {
    const int channel = group * group_channels + i / plane;
    to[i] = (from[i] - mean) * scale * weight[channel] + bias[channel];
  }
}

torch::Tensor group_norm(torch::Tensor x, torch::Tensor weight, torch::Tensor bias, int64_t groups, double eps) {
  TORCH_CHECK(x.is_cuda() && x.scalar_type() == torch::kFloat && x.dim() == 4);
  TORCH_CHECK(groups > 0 && x.size(1) % groups == 0, "channels must divide into groups");
  TORCH_CHECK(weight.dim() == 1 && weight.size(0) == x.size(1) && bias.sizes() == weight.sizes());
  TORCH_CHECK(x.numel() > 0 && x.numel() < (1 << 30));
  x = x.contiguous();
  weight = weight.contiguous();
  bias = bias.contiguous();
  auto y = torch::empty_like(x);
  group_norm_kernel<<<x.size(0) * groups, 1024, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), y.data_ptr<float>(), groups,
      x.size(1) / groups, x.size(2) * x.size(3), eps);
  return y;
}
