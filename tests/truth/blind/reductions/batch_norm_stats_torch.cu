//: defect sums-of-the-next-use-come-too-early: race
//- const scalar_t mean = block_sum(sum, shared) / count;
//-   __syncthreads();
//+ const scalar_t mean = block_sum(sum, shared) / count;
//: defect room-for-half-the-warps: array-bounds|out-of-bounds
//- __shared__ scalar_t shared[THREADS / WARP];
//+ __shared__ scalar_t shared[THREADS / WARP / 2];
//: defect plane-is-read-to-its-padded-end: out-of-bounds
//- for (int i = threadIdx.x; i < input.size(2); i += THREADS) {
//-       const scalar_t difference
//+ for (int i = threadIdx.x; i <= input.size(2); i += THREADS) {
//+       const scalar_t difference
#include <torch/extension.h>

#include <tuple>

constexpr int WARP = 32;
constexpr int THREADS = 512;

template <typename scalar_t>
__device__ scalar_t warp_sum(scalar_t value) {
#pragma unroll
  for (int mask = WARP / 2; mask > 0; mask >>= 1) value += __shfl_xor_sync(0xffffffff, value, mask);
  return value;
}

template <typename scalar_t>
__device__ scalar_t block_sum(scalar_t value, scalar_t *shared) {
  value = warp_sum(value);
  if (threadIdx.x % WARP == 0) shared[threadIdx.x / WARP] = value;
  __syncthreads();
  scalar_t total = 0;
  for (int w = 0; w < THREADS / WARP; ++w) total += shared[w];
  return total;
}

template <typename scalar_t>
__global__ void channel_stats(const torch::PackedTensorAccessor32<scalar_t, 3, torch::RestrictPtrTraits> input,
                              torch::PackedTensorAccessor32<scalar_t, 1, torch::RestrictPtrTraits> means,
                              torch::PackedTensorAccessor32<scalar_t, 1, torch::RestrictPtrTraits> variances) {
  __shared__ scalar_t shared[THREADS / WARP];
  const int channel = blockIdx.x;
  const scalar_t count = scalar_t(input.size(0)) * input.size(2);

  scalar_t sum = 0;
  for (int n = 0; n < input.size(0); ++n)
    for (int i = threadIdx.x; i < input.size(2); i += THREADS) sum += input[n][channel][i];
  const scalar_t mean = block_sum(sum, shared) / count;
  __syncthreads();

  scalar_t squares = 0;
  for (int n = 0; n < input.size(0); ++n) {
    for (int i = threadIdx.x; i < input.size(2); i += THREADS) {
      const scalar_t difference = input[n][channel][i] - mean;
      squares += difference * difference;
    }
  }
  const scalar_t variance = block_sum(squares, shared) / count;
  if (threadIdx.x == 0) {
    means[channel] = mean;
    variances[channel] = variance;
  }
}

std::tuple<torch::Tensor, torch::Tensor> batch_norm_stats(torch::Tensor input) {
  TORCH_CHECK(input.is_cuda(), "expected a CUDA tensor");
  TORCH_CHECK(input.dim() >= 2 && input.numel() > 0 && input.numel() < (1LL << 31) - THREADS);
  auto flat = input.contiguous().view({input.size(0), input.size(1), -1});
  const auto channels = flat.size(1);
  auto means = torch::empty({channels}, input.options());
  auto variances = torch::empty({channels}, input.options());
  AT_DISPATCH_FLOATING_TYPES(flat.scalar_type(), "batch_norm_stats", [&] {
    channel_stats<scalar_t><<<channels, THREADS>>>(
        flat.packed_accessor32<scalar_t, 3, torch::RestrictPtrTraits>(),
        means.packed_accessor32<scalar_t, 1, torch::RestrictPtrTraits>(),
        variances.packed_accessor32<scalar_t, 1, torch::RestrictPtrTraits>());
  });
  return std::make_tuple(means, variances);
}
