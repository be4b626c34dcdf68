//: defect rows-longer-than-asked-are-not-cut: out-of-bounds|race|order-dependent
//- if (t >= length || t >= longest) return;
//+ if (t >= length) return;
#include <torch/extension.h>

// One block column per row; what a row lacks stays at the padding.
__global__ void pad_rows_kernel(const float* __restrict__ values, const int64_t* __restrict__ offsets,
                                float* __restrict__ padded, int64_t longest) {
  const int64_t row = blockIdx.y;
  const int64_t begin = offsets[row], length = offsets[row + 1] - begin;
  for (int64_t t = blockIdx.x * blockDim.x + threadIdx.x;; t += gridDim.x * blockDim.x) {
    if (t >= length || t >= longest) return;
    padded[row * longest + t] = values[begin + t];
  }
}

torch::Tensor jagged_to_padded(const torch::Tensor& values, const torch::Tensor& offsets, int64_t longest, double padding) {
  TORCH_CHECK(values.is_cuda() && offsets.is_cuda(), "on the device");
  TORCH_CHECK(values.dim() == 1 && values.is_contiguous() && values.scalar_type() == at::kFloat);
  TORCH_CHECK(offsets.dim() == 1 && offsets.is_contiguous() && offsets.scalar_type() == at::kLong);
  TORCH_CHECK(offsets.size(0) > 0 && longest > 0);
  const int64_t rows = offsets.size(0) - 1;
  TORCH_CHECK(rows <= 65535);
  TORCH_CHECK(offsets[0].item<int64_t>() == 0 && offsets[rows].item<int64_t>() == values.size(0));
  TORCH_CHECK((offsets.slice(0, 1) >= offsets.slice(0, 0, rows)).all().item<bool>(), "offsets ascend");
  auto padded = torch::full({rows, longest}, padding, values.options());
  if (rows == 0) return padded;
  const dim3 blocks(1, rows);
  pad_rows_kernel<<<blocks, 64>>>(values.data_ptr<float>(), offsets.data_ptr<int64_t>(), padded.data_ptr<float>(), longest);
  return padded;
}
