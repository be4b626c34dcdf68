//: defect rest-of-the-row-is-taken-in-fours: out-of-bounds
//- for (; k + 4 <= columns; k += 4) {
//+ for (; k < columns; k += 4) {
#include <torch/extension.h>

__global__ void unrolled_row_sum_kernel(const float* __restrict__ values, float* __restrict__ sums, int64_t rows,
                                        int64_t columns) {
  const int64_t row = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* line = values + row * columns;
  float sum = 0.f;
  int64_t k = 0;
  for (; k + 4 <= columns; k += 4) {
    sum += line[k] + line[k + 1] + line[k + 2] + line[k + 3];
  }
  for (; k < columns; ++k) sum += line[k];
  sums[row] = sum;
}

torch::Tensor unrolled_row_sum(torch::Tensor values) {
  TORCH_CHECK(values.dim() == 2 && values.scalar_type() == torch::kFloat);
  values = values.contiguous();
  const int64_t rows = values.size(0);
  auto sums = torch::empty({rows}, values.options());
  if (rows == 0) return sums;
  unrolled_row_sum_kernel<<<(rows + 63) / 64, 64>>>(values.data_ptr<float>(), sums.data_ptr<float>(), rows,
                                                    values.size(1));
  return sums;
}
