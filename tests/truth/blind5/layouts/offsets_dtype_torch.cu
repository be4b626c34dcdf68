//: defect offsets-are-read-as-wider-numbers: out-of-bounds
//- bag_sum_kernel<int><<<bags, 64>>>(
//+ bag_sum_kernel<long long><<<bags, 64>>>(
//- reinterpret_cast<const int*>(offsets.data_ptr<int>()), out.data_ptr<float>(), width);
//+ reinterpret_cast<const long long*>(offsets.data_ptr<int>()), out.data_ptr<float>(), width);
#include <torch/extension.h>

// Rows offsets[b] to offsets[b + 1] of the values belong to bag b.
template <typename offset_t>
__global__ void bag_sum_kernel(const float* values, const offset_t* offsets, float* out, int width) {
  const offset_t begin = offsets[blockIdx.x], end = offsets[blockIdx.x + 1];
  for (int c = threadIdx.x; c < width; c += blockDim.x) {
    float sum = 0.f;
    for (offset_t r = begin; r < end; ++r) sum += values[r * width + c];
    out[(int64_t)blockIdx.x * width + c] = sum;
  }
}

torch::Tensor bag_sum(torch::Tensor values, torch::Tensor lengths) {
  TORCH_CHECK(values.dim() == 2 && values.scalar_type() == torch::kFloat && values.is_contiguous());
  TORCH_CHECK(lengths.dim() == 1 && lengths.scalar_type() == torch::kInt && lengths.numel() > 0);
  TORCH_CHECK(lengths.min().item<int>() >= 0 && lengths.sum().item<int64_t>() == values.size(0),
              "lengths must add up to the rows");
  const int bags = lengths.size(0), width = values.size(1);
  auto offsets = torch::zeros({bags + 1}, lengths.options());
  offsets.slice(0, 1).copy_(lengths.cumsum(0));
  auto out = torch::empty({bags, width}, values.options());
  bag_sum_kernel<int><<<bags, 64>>>(
      values.data_ptr<float>(),
      reinterpret_cast<const int*>(offsets.data_ptr<int>()), out.data_ptr<float>(), width);
  return out;
}
