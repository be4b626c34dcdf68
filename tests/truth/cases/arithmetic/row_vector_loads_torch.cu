//: defect rows-of-any-length: misaligned|out-of-bounds
//- TORCH_CHECK(cols % 4 == 0, "rows must be whole vectors");
//+
#include <torch/extension.h>

__global__ void square_rows(const float *input, float *output, int rows, int cols) {
  int row = blockIdx.x;
  if (row >= rows) return;
  const float4 *from = reinterpret_cast<const float4 *>(input + row * cols);
  float4 *to = reinterpret_cast<float4 *>(output + row * cols);
  for (int j = threadIdx.x; j < cols / 4; j += blockDim.x) {
    float4 v = from[j];
    to[j] = make_float4(v.x * v.x, v.y * v.y, v.z * v.z, v.w * v.w);
  }
}

torch::Tensor square(torch::Tensor input) {
  TORCH_CHECK(input.dim() == 2);
  const int rows = input.size(0), cols = input.size(1);
  TORCH_CHECK(cols % 4 == 0, "rows must be whole vectors");
  auto output = torch::empty({rows, cols}, input.options());
  square_rows<<<rows, 64>>>(input.data_ptr<float>(), output.data_ptr<float>(), rows, cols);
  return output;
}
