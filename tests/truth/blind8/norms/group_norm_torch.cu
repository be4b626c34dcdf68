//: defect channels-may-be-left-over: uninitialised-read
//- TORCH_CHECK(groups > 0 && x.size(1) % groups == 0, "channels must be whole groups");
//+ TORCH_CHECK(groups > 0 && x.size(1) >= groups, "a group must have channels");
#include <torch/extension.h>

constexpr int kThreads = 64;

__device__ float add_block(float value, float* shared) {
  __syncthreads();
  shared[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  return shared[0];
}

// a block a group: its channels lie side by side
__global__ void group_norm_kernel(const float* x, float* y, int channels, int groups, int channels_of_group, int pixels,
                                  float epsilon) {
  __shared__ float shared[kThreads];
  const int item = blockIdx.x / groups, group = blockIdx.x % groups;
  const size_t first = ((size_t)item * channels + group * channels_of_group) * pixels;
  const int count = channels_of_group * pixels;
  float sum = 0.f, squares = 0.f;
  for (int i = threadIdx.x; i < count; i += kThreads) sum += x[first + i];
  const float mean = add_block(sum, shared) / count;
  for (int i = threadIdx.x; i < count; i += kThreads) squares += (x[first + i] - mean) * (x[first + i] - mean);
  const float scale = rsqrtf(add_block(squares, shared) / count + epsilon);
  for (int i = threadIdx.x; i < count; i += kThreads) y[first + i] = (x[first + i] - mean) * scale;
}

torch::Tensor group_norm(torch::Tensor x, int64_t groups, double epsilon) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 3 && x.scalar_type() == torch::kFloat, "x must be items x channels x pixels");
  TORCH_CHECK(groups > 0 && x.size(1) % groups == 0, "channels must be whole groups");
  x = x.contiguous();
  auto y = torch::empty_like(x);
  if (x.numel() == 0) return y;
  group_norm_kernel<<<x.size(0) * groups, kThreads>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1), groups,
                                                     x.size(1) / groups, x.size(2), epsilon);
  return y;
}
