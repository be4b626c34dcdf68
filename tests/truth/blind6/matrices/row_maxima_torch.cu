//: defect maxima-begin-at-zero: own-check
//- scalar_t largest = x[row * columns];
//+ scalar_t largest = 0;
#include <torch/extension.h>

template <typename scalar_t>
__global__ void row_maxima_kernel(const scalar_t* x, scalar_t* out, int64_t rows, int64_t columns) {
  const int64_t row = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  scalar_t largest = x[row * columns];
  for (int64_t c = 0; c < columns; ++c) largest = x[row * columns + c] > largest ? x[row * columns + c] : largest;
  out[row] = largest;
}

template <typename scalar_t>
void row_maxima_cpu(const scalar_t* x, scalar_t* out, int64_t rows, int64_t columns) {
  for (int64_t row = 0; row < rows; ++row) out[row] = *std::max_element(x + row * columns, x + (row + 1) * columns);
}

torch::Tensor row_maxima(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 2 && x.size(1) > 0, "x must be a matrix with columns");
  x = x.contiguous();
  auto out = torch::empty({x.size(0)}, x.options());
  if (x.size(0) == 0) return out;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_maxima", [&] {
    if (x.is_cuda())
      row_maxima_kernel<scalar_t><<<(x.size(0) + 127) / 128, 128>>>(x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(),
                                                                    x.size(0), x.size(1));
    else
      row_maxima_cpu<scalar_t>(x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), x.size(0), x.size(1));
  });
  return out;
}
