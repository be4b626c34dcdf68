//: defect begins-with-rubbish: uninitialised-read
//- auto output = torch::zeros({rows, cols}, a.options());
//+ auto output = torch::empty({rows, cols}, a.options());
#include <torch/extension.h>

__global__ void add_bias_rows(const float *a, const float *bias, float *output, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * cols) output[i] += a[i] + bias[i % cols];
}

torch::Tensor add_bias(torch::Tensor a, torch::Tensor bias) {
  TORCH_CHECK(a.dim() == 2 && bias.dim() == 1 && bias.size(0) == a.size(1));
  const int rows = a.size(0), cols = a.size(1);
  auto output = torch::zeros({rows, cols}, a.options());
  const int total = rows * cols;
  add_bias_rows<<<(total + 255) / 256, 256>>>(a.data_ptr<float>(), bias.data_ptr<float>(), output.data_ptr<float>(),
                                              rows, cols);
  return output;
}
