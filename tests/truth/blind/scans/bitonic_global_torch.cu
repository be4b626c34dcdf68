//: defect both-partners-swap: race
//- if (partner <= i || partner >= padded) return;
//+ if (partner >= padded) return;
//: defect buffer-is-not-padded: out-of-bounds
//- auto work = torch::full({padded}, std::numeric_limits<float>::infinity(), keys.options());
//+ auto work = torch::full({n}, std::numeric_limits<float>::infinity(), keys.options());
//: defect padding-is-not-filled: uninitialised-read
//- auto work = torch::full({padded}, std::numeric_limits<float>::infinity(), keys.options());
//+ auto work = torch::empty({padded}, keys.options());
#include <torch/extension.h>
#include <limits>

__global__ void bitonic_step(float *keys, int64_t padded, int64_t j, int64_t k) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= padded) return;
  const int64_t partner = i ^ j;
  if (partner <= i || partner >= padded) return;
  const float a = keys[i], b = keys[partner];
  const bool ascending = (i & k) == 0;
  if (ascending == (a > b)) {
    keys[i] = b;
    keys[partner] = a;
  }
}

torch::Tensor sort_keys(const torch::Tensor &keys) {
  TORCH_CHECK(keys.is_cuda() && keys.dim() == 1 && keys.scalar_type() == torch::kFloat);
  const int64_t n = keys.size(0);
  int64_t padded = 1;
  while (padded < n) padded <<= 1;
  auto work = torch::full({padded}, std::numeric_limits<float>::infinity(), keys.options());
  work.slice(0, 0, n).copy_(keys);
  const int threads = 256;
  const int64_t blocks = (padded + threads - 1) / threads;
  for (int64_t k = 2; k <= padded; k <<= 1)
    for (int64_t j = k >> 1; j > 0; j >>= 1)
      bitonic_step<<<blocks, threads>>>(work.data_ptr<float>(), padded, j, k);
  return work.slice(0, 0, n);
}
