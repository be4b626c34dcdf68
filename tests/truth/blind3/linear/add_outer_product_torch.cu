//: defect blocks-of-rows-and-columns-change-places: out-of-bounds|uninitialised-read
//- const int64_t row = blockIdx.y * 8 + threadIdx.y;
//+ const int64_t row = blockIdx.x * 8 + threadIdx.y;
//- const int64_t column = blockIdx.x * 32 + threadIdx.x;
//+ const int64_t column = blockIdx.y * 32 + threadIdx.x;
//: defect column-vector-is-broadcast-along-the-rows: out-of-bounds
//- matrix[row * columns + column] += alpha * u[row] * v[column];
//+ matrix[row * columns + column] += alpha * u[column] * v[column];
//: defect only-one-side-is-guarded: out-of-bounds|race|order-dependent
//- if (row >= rows || column >= columns) return;
//+ if (row >= rows) return;
#include <torch/extension.h>

template <typename T>
__global__ void add_outer_kernel(T* matrix, const T* u, const T* v, int64_t rows, int64_t columns, T alpha) {
  const int64_t row = blockIdx.y * 8 + threadIdx.y;
  const int64_t column = blockIdx.x * 32 + threadIdx.x;
  if (row >= rows || column >= columns) return;
  matrix[row * columns + column] += alpha * u[row] * v[column];
}

void add_outer_(torch::Tensor& matrix, const torch::Tensor& u, const torch::Tensor& v, double alpha) {
  TORCH_CHECK(matrix.dim() == 2 && matrix.is_contiguous());
  TORCH_CHECK(u.dim() == 1 && v.dim() == 1);
  TORCH_CHECK(u.size(0) == matrix.size(0) && v.size(0) == matrix.size(1), "sizes do not fit");
  TORCH_CHECK(u.scalar_type() == matrix.scalar_type() && v.scalar_type() == matrix.scalar_type());
  auto uc = u.contiguous(), vc = v.contiguous();
  if (matrix.numel() == 0) return;
  const int64_t rows = matrix.size(0), columns = matrix.size(1);
  const dim3 grid((columns + 31) / 32, (rows + 7) / 8);
  AT_DISPATCH_FLOATING_TYPES(matrix.scalar_type(), "add_outer_", [&] {
    add_outer_kernel<scalar_t><<<grid, dim3(32, 8)>>>(matrix.data_ptr<scalar_t>(), uc.data_ptr<scalar_t>(),
                                                      vc.data_ptr<scalar_t>(), rows, columns,
                                                      static_cast<scalar_t>(alpha));
  });
}
