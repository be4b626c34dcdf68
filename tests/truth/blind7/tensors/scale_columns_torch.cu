//: defect result-has-the-strides-of-the-input: out-of-bounds|race|uninitialised-output
//- out[row * columns + column] = value * scale[column];
//+ out[row * row_stride + column * column_stride] = value * scale[column];
#include <torch/extension.h>

template <typename scalar_t>
__global__ void scale_columns_kernel(const scalar_t* __restrict__ x, const scalar_t* __restrict__ scale,
                                     scalar_t* __restrict__ out, int64_t rows, int64_t columns, int64_t row_stride,
                                     int64_t column_stride) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * columns) return;
  const int64_t row = i / columns, column = i % columns;
  const scalar_t value = x[row * row_stride + column * column_stride];
  out[row * columns + column] = value * scale[column];
}

// x may be any view, such as some columns of a wider matrix.
torch::Tensor scale_columns(torch::Tensor x, torch::Tensor scale) {
  TORCH_CHECK(x.is_cuda() && scale.is_cuda(), "expected CUDA tensors");
  TORCH_CHECK(x.dim() == 2 && scale.dim() == 1 && scale.size(0) == x.size(1));
  TORCH_CHECK(x.scalar_type() == scale.scalar_type());
  scale = scale.contiguous();
  auto out = torch::empty({x.size(0), x.size(1)}, x.options());
  const int64_t total = out.numel();
  if (total == 0) return out;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale_columns", [&] {
    scale_columns_kernel<scalar_t><<<(total + 255) / 256, 256>>>(x.data_ptr<scalar_t>(), scale.data_ptr<scalar_t>(),
                                                                 out.data_ptr<scalar_t>(), x.size(0), x.size(1),
                                                                 x.stride(0), x.stride(1));
  });
  return out;
}
