//: defect an-empty-group-divides-by-nothing: divide-by-zero
//- means[g] = count > 0 ? sum / count : 0;
//+ means[g] = sum / count;
//: defect a-group-too-many: out-of-bounds
//- if (g >= groups) return;
//+ if (g > groups) return;
#include <torch/extension.h>

__global__ void group_means_kernel(const int *values, const int *offsets, int *means, int groups) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  int sum = 0;
  int count = offsets[g + 1] - offsets[g];
  for (int j = offsets[g]; j < offsets[g + 1]; ++j) sum += values[j];
  means[g] = count > 0 ? sum / count : 0;
}

torch::Tensor group_means(torch::Tensor values, torch::Tensor offsets) {
  TORCH_CHECK(values.dim() == 1 && offsets.dim() == 1);
  const int groups = offsets.numel() - 1;
  auto means = torch::empty({groups}, values.options());
  group_means_kernel<<<(groups + 127) / 128, 128>>>(values.data_ptr<int>(), offsets.data_ptr<int>(),
                                                   means.data_ptr<int>(), groups);
  return means;
}
