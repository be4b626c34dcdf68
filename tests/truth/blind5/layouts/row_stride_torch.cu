//: defect row-stride-is-the-number-of-rows: out-of-bounds
//- x.stride(0),
//+ x.size(0),
#include <torch/extension.h>

// Views are welcome: rows may lie further apart than they are long.
__global__ void row_norm_kernel(const float* x, int64_t row_stride, float* norm, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  float sum = 0.f;
  if (row < rows) {
    for (int c = threadIdx.x; c < columns; c += 32) {
      const float v = x[row * row_stride + c];
      sum += v * v;
    }
  }
  for (int mask = 16; mask > 0; mask >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, mask);
  if (row < rows && threadIdx.x == 0) norm[row] = sqrtf(sum);
}

torch::Tensor row_norm(const torch::Tensor& x) {
  TORCH_CHECK(x.dim() == 2 && x.stride(1) == 1, "columns must lie side by side");
  TORCH_CHECK(x.scalar_type() == torch::kFloat32);
  const int rows = x.size(0), columns = x.size(1);
  auto norm = torch::empty({rows}, x.options());
  if (rows == 0) return norm;
  row_norm_kernel<<<(rows + 3) / 4, dim3(32, 4)>>>(x.data_ptr<float>(),
                                                   x.stride(0),
                                                   norm.data_ptr<float>(), rows, columns);
  return norm;
}
