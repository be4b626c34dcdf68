//: defect the-last-group-may-be-short: out-of-bounds
//- TORCH_CHECK(scales.size(0) == codes.size(0) && scales.size(1) == (codes.size(1) + group - 1) / group);
//+ TORCH_CHECK(scales.size(0) == codes.size(0) && scales.size(1) == codes.size(1) / group);
#include <torch/extension.h>

// codes of one byte, a scale for each group of columns
__global__ void dequantise_kernel(const uint8_t* codes, const float* scales, float* out, int rows, int columns, int group,
                                  int groups) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  const int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= columns || r >= rows) return;
  out[r * columns + c] = (static_cast<int>(codes[r * columns + c]) - 128) * scales[r * groups + c / group];
}

torch::Tensor dequantise(const torch::Tensor& codes, const torch::Tensor& scales, int64_t group) {
  TORCH_CHECK(codes.is_cuda() && scales.is_cuda());
  TORCH_CHECK(codes.dim() == 2 && scales.dim() == 2 && group > 0);
  TORCH_CHECK(codes.scalar_type() == torch::kByte && scales.scalar_type() == torch::kFloat);
  TORCH_CHECK(codes.is_contiguous() && scales.is_contiguous());
  TORCH_CHECK(scales.size(0) == codes.size(0) && scales.size(1) == (codes.size(1) + group - 1) / group);
  auto out = torch::empty({codes.size(0), codes.size(1)}, scales.options());
  if (out.numel() == 0) return out;
  const dim3 threads(32, 4);
  const dim3 blocks((codes.size(1) + 31) / 32, (codes.size(0) + 3) / 4);
  dequantise_kernel<<<blocks, threads>>>(codes.data_ptr<uint8_t>(), scales.data_ptr<float>(), out.data_ptr<float>(),
                                         codes.size(0), codes.size(1), group, scales.size(1));
  return out;
}
