//: defect unused-places-have-a-column: out-of-bounds
//- if (column >= 0) sum += values[at] * x[column];
//+ sum += values[at] * x[column];
#include <torch/extension.h>

// y = A x, A in ELLPACK: `width` places for each row, stored column by column; unused ones say -1.
template <typename scalar_t, typename index_t>
__global__ void ell_product(const scalar_t* values, const index_t* columns, const scalar_t* x, scalar_t* y,
                            index_t rows, index_t width) {
  const index_t row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    scalar_t sum = 0;
    for (index_t i = 0; i < width; ++i) {
      const index_t at = i * rows + row;
      const index_t column = columns[at];
      if (column >= 0) sum += values[at] * x[column];
    }
    y[row] = sum;
  }
}

torch::Tensor ell_multiply(torch::Tensor values, torch::Tensor columns, torch::Tensor x) {
  TORCH_CHECK(values.is_cuda() && columns.is_cuda() && x.is_cuda());
  TORCH_CHECK(values.dim() == 2 && columns.sizes() == values.sizes() && x.dim() == 1);
  TORCH_CHECK(columns.scalar_type() == torch::kInt && values.scalar_type() == x.scalar_type());
  TORCH_CHECK(values.is_contiguous() && columns.is_contiguous() && x.is_contiguous());
  TORCH_CHECK(columns.numel() == 0 || columns.max().item<int>() < x.size(0), "column out of range");
  TORCH_CHECK(columns.numel() == 0 || columns.min().item<int>() >= -1, "column out of range");
  const int width = values.size(0), rows = values.size(1);
  auto y = torch::empty({rows}, x.options());
  if (rows == 0) return y;
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "ell_multiply", [&] {
    ell_product<scalar_t, int><<<(rows + 127) / 128, 128>>>(values.data_ptr<scalar_t>(), columns.data_ptr<int>(),
                                                            x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), rows, width);
  });
  return y;
}
