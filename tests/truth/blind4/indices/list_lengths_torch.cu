//: defect there-are-as-many-lists-as-places: out-of-bounds
//- const int64_t lists = begins.size(0) - 1;
//+ const int64_t lists = begins.size(0);
#include <torch/extension.h>

__global__ void list_lengths_kernel(const int64_t* begins, int64_t* lengths, int64_t lists) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < lists) lengths[i] = begins[i + 1] - begins[i];
}

torch::Tensor list_lengths(torch::Tensor begins) {
  TORCH_CHECK(begins.dim() == 1 && begins.size(0) >= 1, "begins must hold a place for each list and one more");
  TORCH_CHECK(begins.scalar_type() == torch::kLong && begins.is_contiguous());
  const int64_t lists = begins.size(0) - 1;
  auto lengths = torch::empty({lists}, begins.options());
  if (lists == 0) return lengths;
  list_lengths_kernel<<<(lists + 127) / 128, 128>>>(begins.data_ptr<int64_t>(), lengths.data_ptr<int64_t>(), lists);
  return lengths;
}
