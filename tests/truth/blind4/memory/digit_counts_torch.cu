//: defect counts-of-the-block-are-not-cleared: uninitialised-read|race
//- counts[threadIdx.x] = 0;
//+
#include <torch/extension.h>

__global__ void digit_counts_kernel(const int* numbers, int* totals, int n) {
  __shared__ int counts[64];
  counts[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += 64 * gridDim.x) {
    atomicAdd(&counts[numbers[i] & 63], 1);
  }
  __syncthreads();
  if (counts[threadIdx.x] != 0) atomicAdd(&totals[threadIdx.x], counts[threadIdx.x]);
}

torch::Tensor digit_counts(torch::Tensor numbers) {
  TORCH_CHECK(numbers.dim() == 1 && numbers.scalar_type() == torch::kInt && numbers.is_contiguous());
  auto totals = torch::zeros({64}, numbers.options());
  const int n = numbers.size(0);
  if (n > 0) digit_counts_kernel<<<std::min((n + 63) / 64, 16), 64>>>(numbers.data_ptr<int>(), totals.data_ptr<int>(), n);
  return totals;
}
