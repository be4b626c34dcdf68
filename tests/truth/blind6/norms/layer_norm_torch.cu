//: defect room-for-sixteen-warps: out-of-bounds|array-bounds
//- __shared__ float partial[32];
//+ __shared__ float partial[16];
#include <torch/extension.h>

__device__ float block_sum(float value) {
  __shared__ float partial[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  __syncthreads();
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  value = lane < blockDim.x / 32 ? partial[lane] : 0.f;
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xffffffffu, value, offset);
  return value;
}

__global__ void layer_norm_kernel(const float* x, const float* gamma, const float* beta, float* y, int width, float eps) {
  x += (int64_t)blockIdx.x * width;
  y += (int64_t)blockIdx.x * width;
  float sum = 0.f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) sum += x[i];
  const float mean = block_sum(sum) / width;
  float squares = 0.f;
  for (int i = threadIdx.x; i < width; i += blockDim.x) squares += (x[i] - mean) * (x[i] - mean);
  const float scale = rsqrtf(block_sum(squares) / width + eps);
  for (int i = threadIdx.x; i < width; i += blockDim.x) y[i] = (x[i] - mean) * scale * gamma[i] + beta[i];
}

torch::Tensor layer_norm(torch::Tensor x, torch::Tensor gamma, torch::Tensor beta, double eps) {
  TORCH_CHECK(x.is_cuda() && gamma.is_cuda() && beta.is_cuda());
  TORCH_CHECK(x.dim() >= 1 && x.size(-1) > 0);
  const int64_t width = x.size(-1);
  TORCH_CHECK(gamma.dim() == 1 && gamma.size(0) == width && beta.dim() == 1 && beta.size(0) == width);
  TORCH_CHECK(x.scalar_type() == torch::kFloat32 && gamma.scalar_type() == torch::kFloat32 &&
              beta.scalar_type() == torch::kFloat32);
  x = x.contiguous();
  gamma = gamma.contiguous();
  beta = beta.contiguous();
  auto y = torch::empty_like(x);
  const int64_t rows = x.numel() / width;
  if (rows == 0) return y;
  const int threads = std::min<int64_t>((width + 31) / 32 * 32, 1024);
  layer_norm_kernel<<<rows, threads>>>(x.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(),
                                       y.data_ptr<float>(), width, eps);
  return y;
}
