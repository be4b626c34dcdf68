//: defect batches-are-taken-as-square: out-of-bounds
//- const float* matrix = matrices + batch * rows * columns;
//+ const float* matrix = matrices + batch * rows * rows;
#include <torch/extension.h>

__global__ void batched_matvec_kernel(const float* __restrict__ matrices, const float* __restrict__ vectors,
                                      float* __restrict__ products, int64_t rows, int64_t columns) {
  const int64_t batch = blockIdx.y;
  const int64_t row = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* matrix = matrices + batch * rows * columns;
  const float* vector = vectors + batch * columns;
  float sum = 0.f;
  for (int64_t k = 0; k < columns; ++k) sum += matrix[row * columns + k] * vector[k];
  products[batch * rows + row] = sum;
}

at::Tensor batched_matvec(const at::Tensor& matrices, const at::Tensor& vectors) {
  TORCH_CHECK(matrices.dim() == 3 && vectors.dim() == 2);
  TORCH_CHECK(matrices.size(0) == vectors.size(0), "batches differ");
  TORCH_CHECK(matrices.size(2) == vectors.size(1), "columns differ");
  TORCH_CHECK(matrices.scalar_type() == at::kFloat && vectors.scalar_type() == at::kFloat);
  TORCH_CHECK(matrices.is_contiguous() && vectors.is_contiguous());
  const int64_t batches = matrices.size(0), rows = matrices.size(1), columns = matrices.size(2);
  at::Tensor products = at::empty({batches, rows}, vectors.options());
  if (products.numel() == 0) return products;
  const dim3 grid((rows + 31) / 32, batches);
  batched_matvec_kernel<<<grid, 32>>>(matrices.data_ptr<float>(), vectors.data_ptr<float>(),
                                      products.data_ptr<float>(), rows, columns);
  return products;
}
