//: defect long-rows-are-not-cut: out-of-bounds
//- const int64_t length = min(offsets[row + 1] - begin, max_length);
//+ const int64_t length = offsets[row + 1] - begin;
//- for (int64_t t = threadIdx.x; t < max_length; t += blockDim.x) {
//+ for (int64_t t = threadIdx.x; t < max(length, max_length); t += blockDim.x) {
//: defect rows-end-one-later: out-of-bounds
//- const bool is_filled = t < length;
//+ const bool is_filled = t <= length;
#include <torch/extension.h>

__global__ void jagged_to_padded_kernel(const float* __restrict__ values, const int64_t* __restrict__ offsets,
                                        float* __restrict__ padded, int64_t max_length, int64_t width, float fill) {
  const int64_t row = blockIdx.x;
  const int64_t begin = offsets[row];
  const int64_t length = min(offsets[row + 1] - begin, max_length);
  for (int64_t t = threadIdx.x; t < max_length; t += blockDim.x) {
    const bool is_filled = t < length;
    for (int64_t d = 0; d < width; ++d) {
      padded[(row * max_length + t) * width + d] = is_filled ? values[(begin + t) * width + d] : fill;
    }
  }
}

at::Tensor jagged_to_padded(const at::Tensor& values, const at::Tensor& offsets, int64_t max_length, double fill) {
  TORCH_CHECK(values.dim() == 2, "values must be [total, width]");
  TORCH_CHECK(offsets.dim() == 1 && offsets.size(0) >= 1, "offsets must be [rows + 1]");
  TORCH_CHECK(values.scalar_type() == at::kFloat && offsets.scalar_type() == at::kLong);
  TORCH_CHECK(values.is_contiguous() && offsets.is_contiguous());
  TORCH_CHECK(max_length >= 0);
  const int64_t rows = offsets.size(0) - 1;
  at::Tensor padded = at::empty({rows, max_length, values.size(1)}, values.options());
  if (padded.numel() == 0) return padded;
  jagged_to_padded_kernel<<<rows, 64>>>(values.data_ptr<float>(), offsets.data_ptr<int64_t>(),
                                        padded.data_ptr<float>(), max_length, values.size(1), fill);
  return padded;
}
