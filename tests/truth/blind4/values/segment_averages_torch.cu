//: defect empty-segments-are-divided-by-their-length: divide-by-zero
//- averages[s] = end > begin ? sum / (end - begin) : 0;
//+ averages[s] = sum / (end - begin);
#include <torch/extension.h>

__global__ void segment_averages_kernel(const int* values, const int* ends, int* averages, int segments, int count) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments) return;
  const int begin = s == 0 ? 0 : min(max(ends[s - 1], 0), count);
  const int end = min(max(ends[s], begin), count);
  int sum = 0;
  for (int k = begin; k < end; ++k) sum += values[k] >> 16;
  averages[s] = end > begin ? sum / (end - begin) : 0;
}

torch::Tensor segment_averages(torch::Tensor values, torch::Tensor ends) {
  TORCH_CHECK(values.dim() == 1 && ends.dim() == 1);
  TORCH_CHECK(values.scalar_type() == torch::kInt && ends.scalar_type() == torch::kInt);
  TORCH_CHECK(values.is_contiguous() && ends.is_contiguous());
  auto averages = torch::empty_like(ends);
  const int segments = ends.size(0);
  if (segments == 0) return averages;
  segment_averages_kernel<<<(segments + 63) / 64, 64>>>(values.data_ptr<int>(), ends.data_ptr<int>(),
                                                        averages.data_ptr<int>(), segments,
                                                        static_cast<int>(values.size(0)));
  return averages;
}
