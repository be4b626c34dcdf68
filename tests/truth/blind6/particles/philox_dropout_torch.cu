//: defect four-are-written-at-the-tail: out-of-bounds
//- for (int64_t k = 0; k < 4 && 4 * group + k < n; ++k) {
//+ for (int64_t k = 0; k < 4 && 4 * group < n; ++k) {
#include <torch/extension.h>

#include <tuple>

__device__ uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 7; ++round) {
    const unsigned high0 = __umulhi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
    const unsigned high1 = __umulhi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

template <typename scalar_t>
__global__ void dropout_kernel(const scalar_t* x, scalar_t* y, bool* mask, int64_t n, float keep, uint64_t seed) {
  const int64_t group = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  const uint4 bits = philox(make_uint4((unsigned)group, (unsigned)(group >> 32), 0u, 0u),
                            make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
  const unsigned words[4] = {bits.x, bits.y, bits.z, bits.w};
  for (int64_t k = 0; k < 4 && 4 * group + k < n; ++k) {
    const bool stays = (words[k] >> 8) * (1.f / 16777216.f) < keep;
    mask[4 * group + k] = stays;
    y[4 * group + k] = stays ? (scalar_t)((float)x[4 * group + k] / keep) : (scalar_t)0.f;
  }
}

std::tuple<torch::Tensor, torch::Tensor> fused_dropout(torch::Tensor x, double p, int64_t seed) {
  TORCH_CHECK(x.is_cuda() && x.is_contiguous(), "x must be a contiguous CUDA tensor");
  TORCH_CHECK(p >= 0 && p < 1, "p must be at least 0 and less than 1");
  auto y = torch::empty_like(x);
  auto mask = torch::empty(x.sizes(), x.options().dtype(torch::kBool));
  const int64_t n = x.numel();
  if (n == 0) return {y, mask};
  const int64_t groups = (n + 3) / 4;
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "fused_dropout", [&] {
    dropout_kernel<scalar_t><<<(groups + 127) / 128, 128>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(),
                                                            mask.data_ptr<bool>(), n, (float)(1.0 - p), (uint64_t)seed);
  });
  return {y, mask};
}
