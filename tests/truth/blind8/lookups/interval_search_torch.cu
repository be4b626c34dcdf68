//: defect the-last-interval-has-an-end: out-of-bounds
//- while (low + 1 < count && begins[low + 1] <= key) ++low;
//+ while (begins[low + 1] <= key) ++low;
#include <torch/extension.h>

// In which interval each key lies; the last one has no end.
__global__ void locate_kernel(const double* begins, const double* keys, int* intervals, int count, int key_count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= key_count) return;
  const double key = keys[i];
  int low = 0;
  while (low + 1 < count && begins[low + 1] <= key) ++low;
  intervals[i] = low;
}

torch::Tensor locate(const torch::Tensor& begins, const torch::Tensor& keys) {
  TORCH_CHECK(begins.is_cuda() && keys.is_cuda());
  TORCH_CHECK(begins.dim() == 1 && begins.size(0) > 0 && begins.is_contiguous());
  TORCH_CHECK(keys.dim() == 1 && keys.is_contiguous());
  TORCH_CHECK(begins.scalar_type() == torch::kDouble && keys.scalar_type() == torch::kDouble);
  auto intervals = torch::empty({keys.size(0)}, keys.options().dtype(torch::kInt));
  if (keys.size(0) == 0) return intervals;
  const int blocks = (keys.size(0) + 127) / 128;
  locate_kernel<<<blocks, 128>>>(begins.data_ptr<double>(), keys.data_ptr<double>(), intervals.data_ptr<int>(),
                                 begins.size(0), keys.size(0));
  return intervals;
}
