//: defect shared-memory-for-one-array-of-two: out-of-bounds
//- const size_t shared = 2 * threads * sizeof(float);
//+ const size_t shared = threads * sizeof(float);
#include <torch/extension.h>

#include <tuple>

__global__ void moments_kernel(const float* __restrict__ x, float* __restrict__ mean, float* __restrict__ var, int64_t D) {
  extern __shared__ float smem[];
  float* sums = smem;
  float* squares = smem + blockDim.x;
  const float* row = x + static_cast<int64_t>(blockIdx.x) * D;
  float sum = 0.f, square = 0.f;
  for (int64_t d = threadIdx.x; d < D; d += blockDim.x) {
    sum += row[d];
    square += row[d] * row[d];
  }
  sums[threadIdx.x] = sum;
  squares[threadIdx.x] = square;
  for (unsigned int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    if (threadIdx.x < stride) {
      sums[threadIdx.x] += sums[threadIdx.x + stride];
      squares[threadIdx.x] += squares[threadIdx.x + stride];
    }
  }
  if (threadIdx.x == 0) {
    const float m = sums[0] / D;
    mean[blockIdx.x] = m;
    var[blockIdx.x] = squares[0] / D - m * m;
  }
}

std::tuple<torch::Tensor, torch::Tensor> moments(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 2, "expected (N, D)");
  TORCH_CHECK(x.size(0) > 0 && x.size(1) > 0, "x must not be empty");
  x = x.to(torch::kFloat32).contiguous();
  auto mean = torch::empty({x.size(0)}, x.options());
  auto var = torch::empty({x.size(0)}, x.options());
  const int threads = 64;
  const size_t shared = 2 * threads * sizeof(float);
  moments_kernel<<<x.size(0), threads, shared>>>(x.data_ptr<float>(), mean.data_ptr<float>(), var.data_ptr<float>(),
                                                 x.size(1));
  return std::make_tuple(mean, var);
}
