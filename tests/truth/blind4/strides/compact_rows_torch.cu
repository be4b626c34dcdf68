//: defect result-is-written-with-the-pitch-of-the-source: out-of-bounds
//- packed[row * width + x] = 2.f * padded[row * pitch + x];
//+ packed[row * pitch + x] = 2.f * padded[row * pitch + x];
#include <torch/extension.h>

__global__ void compact_rows_kernel(const float* padded, float* packed, int64_t height, int64_t width, int64_t pitch) {
  const int64_t x = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  const int64_t row = blockIdx.y;
  if (x >= width) return;
  packed[row * width + x] = 2.f * padded[row * pitch + x];
}

torch::Tensor compact_rows(torch::Tensor padded, int64_t width) {
  TORCH_CHECK(padded.dim() == 2 && padded.is_contiguous() && padded.scalar_type() == torch::kFloat);
  TORCH_CHECK(width >= 1 && width <= padded.size(1), "rows are not so wide");
  const int64_t height = padded.size(0);
  auto packed = torch::empty({height, width}, padded.options());
  if (height == 0) return packed;
  compact_rows_kernel<<<dim3((width + 31) / 32, height), 32>>>(padded.data_ptr<float>(), packed.data_ptr<float>(),
                                                               height, width, padded.size(1));
  return packed;
}
