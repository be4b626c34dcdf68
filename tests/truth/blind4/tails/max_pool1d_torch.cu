//: defect windows-begin-up-to-the-end: out-of-bounds
//- const int64_t places = (length - size) / step + 1;
//+ const int64_t places = (length - 1) / step + 1;
#include <torch/extension.h>

__global__ void max_pool1d_kernel(const float* input, float* output, int64_t lines, int64_t length, int64_t places,
                                  int64_t size, int64_t step) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i >= lines * places) return;
  const float* window = input + i / places * length + i % places * step;
  float largest = window[0];
  for (int64_t k = 1; k < size; ++k) largest = fmaxf(largest, window[k]);
  output[i] = largest;
}

at::Tensor max_pool1d(const at::Tensor& input, int64_t size, int64_t step) {
  TORCH_CHECK(input.dim() == 2, "input must be [lines, length]");
  TORCH_CHECK(input.scalar_type() == at::kFloat && input.is_contiguous());
  TORCH_CHECK(size > 0 && step > 0 && size <= input.size(1), "window does not fit");
  const int64_t lines = input.size(0), length = input.size(1);
  const int64_t places = (length - size) / step + 1;
  at::Tensor output = at::empty({lines, places}, input.options());
  if (output.numel() == 0) return output;
  max_pool1d_kernel<<<(lines * places + 127) / 128, 128>>>(input.data_ptr<float>(), output.data_ptr<float>(), lines,
                                                           length, places, size, step);
  return output;
}
