//: defect search-goes-to-one-behind-the-end: out-of-bounds
//- int high = count;
//+ int high = count + 1;
#include <torch/extension.h>

// How many values of a sorted list come before each key.
__global__ void rank_kernel(const int64_t* sorted, const int64_t* keys, int* ranks, int count, int key_count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= key_count) return;
  const int64_t key = keys[i];
  int low = 0;
  int high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (sorted[middle] < key)
      low = middle + 1;
    else
      high = middle;
  }
  ranks[i] = low;
}

torch::Tensor rank_keys(torch::Tensor sorted, torch::Tensor keys) {
  TORCH_CHECK(sorted.is_cuda() && keys.is_cuda());
  TORCH_CHECK(sorted.dim() == 1 && sorted.is_contiguous() && sorted.scalar_type() == torch::kLong);
  TORCH_CHECK(keys.is_contiguous() && keys.scalar_type() == torch::kLong);
  auto ranks = torch::empty_like(keys, keys.options().dtype(torch::kInt));
  const int key_count = keys.numel();
  if (key_count == 0) return ranks;
  rank_kernel<<<(key_count + 127) / 128, 128>>>(sorted.data_ptr<int64_t>(), keys.data_ptr<int64_t>(),
                                                ranks.data_ptr<int>(), sorted.numel(), key_count);
  return ranks;
}
