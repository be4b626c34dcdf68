//: defect token-is-not-checked: out-of-bounds
//- if (token < 0 || token >= num_tokens) return;
//+
//: defect guard-counts-elements: out-of-bounds
//- slots, cache.size(1), cache.size(2), key.size(0));
//+ slots, cache.size(1), cache.size(2), key.numel());
//: defect one-slot-a-block-too-many: out-of-bounds
//- const int64_t num_slots = cache.size(0) * cache.size(2);
//+ const int64_t num_slots = (cache.size(0) + 1) * cache.size(2);
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <typename scalar_t>
__global__ void gather_into_cache(const scalar_t *__restrict__ key, scalar_t *__restrict__ cache,
                                  const int64_t *__restrict__ token_of_slot, int64_t width, int64_t block_size,
                                  int64_t num_tokens) {
  int64_t slot = blockIdx.x;
  int64_t token = token_of_slot[slot];
  if (token < 0 || token >= num_tokens) return;
  int64_t block = slot / block_size, offset = slot % block_size;
  for (int64_t i = threadIdx.x; i < width; i += blockDim.x)
    cache[(block * width + i) * block_size + offset] = key[token * width + i];
}

void store_keys(torch::Tensor key, torch::Tensor cache, torch::Tensor token_of_slot) {
  TORCH_CHECK(key.is_cuda() && cache.is_cuda() && token_of_slot.is_cuda());
  TORCH_CHECK(key.dim() == 2 && cache.dim() == 3, "key: [tokens, width], cache: [blocks, width, block size]");
  TORCH_CHECK(key.size(1) == cache.size(1) && token_of_slot.is_contiguous());
  TORCH_CHECK(key.is_contiguous() && cache.is_contiguous() && key.dtype() == cache.dtype());
  TORCH_CHECK(token_of_slot.dim() == 2 && token_of_slot.size(0) == cache.size(0));
  TORCH_CHECK(token_of_slot.size(1) == cache.size(2) && token_of_slot.scalar_type() == torch::kLong);
  const int64_t num_slots = cache.size(0) * cache.size(2);
  if (num_slots == 0) return;
  const int64_t *slots = token_of_slot.data_ptr<int64_t>();
  auto stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(key.scalar_type(), "store_keys", [&] {
    gather_into_cache<scalar_t><<<num_slots, 256, 0, stream>>>(key.data_ptr<scalar_t>(), cache.data_ptr<scalar_t>(),
                                                               slots, cache.size(1), cache.size(2), key.size(0));
  });
}
