//: defect padding-is-packed-too: race|order-dependent
//- if (step >= ends[sample] - begin) return;
//+
//: defect begins-are-the-ends: out-of-bounds
//- const int64_t begin = sample == 0 ? 0 : ends[sample - 1];
//+ const int64_t begin = ends[sample];
//-   if (step >= ends[sample] - begin) return;
//+   if (step >= ends[sample + 1] - begin) return;
//: defect room-for-the-longest-only: out-of-bounds
//- torch::Tensor packed = torch::empty({batch * steps, width}, padded.options());
//+ torch::Tensor packed = torch::empty({steps, width}, padded.options());
#include <torch/extension.h>

__global__ void pack_kernel(const float *padded, const int64_t *ends, float *packed, int64_t steps, int64_t width) {
  const int64_t sample = blockIdx.y;
  const int64_t step = blockIdx.x;
  const int64_t begin = sample == 0 ? 0 : ends[sample - 1];
  if (step >= ends[sample] - begin) return;
  const float *from = padded + (sample * steps + step) * width;
  float *to = packed + (begin + step) * width;
  for (int64_t w = threadIdx.x; w < width; w += blockDim.x) to[w] = from[w];
}

torch::Tensor pack_padded(torch::Tensor padded, torch::Tensor lengths) {
  TORCH_CHECK(padded.dim() == 3 && padded.is_cuda() && padded.is_contiguous() && padded.numel() > 0);
  TORCH_CHECK(padded.scalar_type() == torch::kFloat32);
  TORCH_CHECK(lengths.dim() == 1 && lengths.is_cuda() && lengths.size(0) == padded.size(0));
  TORCH_CHECK(lengths.scalar_type() == torch::kInt64 && lengths.size(0) <= 65535);
  const int64_t batch = padded.size(0), steps = padded.size(1), width = padded.size(2);
  torch::Tensor ends = lengths.clamp(0, steps).cumsum(0);
  torch::Tensor packed = torch::empty({batch * steps, width}, padded.options());
  dim3 grid(steps, batch);
  pack_kernel<<<grid, 128>>>(padded.data_ptr<float>(), ends.data_ptr<int64_t>(), packed.data_ptr<float>(), steps,
                             width);
  return packed.slice(0, 0, ends[batch - 1].item<int64_t>());
}
