//: defect rows-behind-the-index: out-of-bounds
//- output[i] = input[index[row] * cols + col];
//+ output[i] = input[(index[row] + 1) * cols + col];
//: defect more-rows-than-there-are: out-of-bounds
//- if (i >= count * cols) return;
//+ if (i >= (count + 1) * cols) return;
#include <torch/extension.h>

template <typename scalar_t>
__global__ void gather_rows_kernel(const scalar_t *input, const int64_t *index, scalar_t *output, int count, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * cols) return;
  int row = i / cols, col = i % cols;
  output[i] = input[index[row] * cols + col];
}

torch::Tensor gather_rows(torch::Tensor input, torch::Tensor index) {
  TORCH_CHECK(input.dim() == 2 && index.dim() == 1);
  const int count = index.size(0), cols = input.size(1);
  auto output = torch::empty({count, cols}, input.options());
  const int total = count * cols;
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "gather_rows", [&] {
    gather_rows_kernel<scalar_t><<<(total + 255) / 256, 256>>>(
        input.data_ptr<scalar_t>(), index.data_ptr<int64_t>(), output.data_ptr<scalar_t>(), count, cols);
  });
  return output;
}
