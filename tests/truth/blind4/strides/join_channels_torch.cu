//: defect second-begins-behind-as-many-as-it-has: out-of-bounds|race|order-dependent|uninitialised-read|uninitialised-output
//- const int64_t begin = which == 0 ? 0 : first_columns;
//+ const int64_t begin = which == 0 ? 0 : second_columns;
#include <torch/extension.h>

__global__ void join_columns_kernel(const float* first, const float* second, float* joined, int64_t rows,
                                    int64_t first_columns, int64_t second_columns) {
  const int which = blockIdx.y;
  const int64_t columns = which == 0 ? first_columns : second_columns;
  const float* source = which == 0 ? first : second;
  const int64_t begin = which == 0 ? 0 : first_columns;
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  joined[i / columns * (first_columns + second_columns) + begin + i % columns] = source[i];
}

at::Tensor join_columns(const at::Tensor& first, const at::Tensor& second) {
  TORCH_CHECK(first.dim() == 2 && second.dim() == 2 && first.size(0) == second.size(0));
  TORCH_CHECK(first.scalar_type() == at::kFloat && second.scalar_type() == at::kFloat);
  at::Tensor a = first.contiguous(), b = second.contiguous();
  at::Tensor joined = at::empty({a.size(0), a.size(1) + b.size(1)}, a.options());
  if (joined.numel() == 0) return joined;
  const int64_t most = std::max(a.numel(), b.numel());
  join_columns_kernel<<<dim3((most + 127) / 128, 2), 128>>>(a.data_ptr<float>(), b.data_ptr<float>(),
                                                            joined.data_ptr<float>(), a.size(0), a.size(1),
                                                            b.size(1));
  return joined;
}
