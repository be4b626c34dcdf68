//: defect columns-may-lie-in-front: out-of-bounds
//- if (column < 0 || column >= columns) return;
//+ if (column >= columns) return;
#include <torch/extension.h>

__global__ void spread_kernel(const int* coordinates, const float* values, float* dense, int count, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const int row = coordinates[i], column = coordinates[count + i];
  if (row < 0 || row >= rows) return;
  if (column < 0 || column >= columns) return;
  atomicAdd(&dense[row * columns + column], values[i]);
}

// entries outside of the matrix are dropped
torch::Tensor to_dense(torch::Tensor coordinates, torch::Tensor values, int64_t rows, int64_t columns) {
  TORCH_CHECK(coordinates.dim() == 2 && coordinates.size(0) == 2, "coordinates must be 2 x count");
  TORCH_CHECK(coordinates.scalar_type() == torch::kInt && values.scalar_type() == torch::kFloat);
  TORCH_CHECK(values.dim() == 1 && values.size(0) == coordinates.size(1), "a value for each entry");
  TORCH_CHECK(rows > 0 && columns > 0);
  coordinates = coordinates.contiguous();
  values = values.contiguous();
  auto dense = torch::zeros({rows, columns}, values.options());
  const int count = values.size(0);
  if (count == 0) return dense;
  spread_kernel<<<(count + 63) / 64, 64>>>(coordinates.data_ptr<int>(), values.data_ptr<float>(), dense.data_ptr<float>(),
                                          count, rows, columns);
  return dense;
}
