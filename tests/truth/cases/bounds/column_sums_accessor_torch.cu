//: defect sums-one-row-too-many: out-of-bounds
//- for (int row = 0; row < values.size(0); ++row) sum += values[row][column];
//+ for (int row = 0; row <= values.size(0); ++row) sum += values[row][column];
//: defect guards-by-the-rows: out-of-bounds
//- if (column >= values.size(1)) return;
//+ if (column >= values.size(1) + 1) return;
#include <torch/extension.h>

template <typename scalar_t>
__global__ void column_sums_kernel(
    const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> values,
    torch::PackedTensorAccessor32<scalar_t, 1, torch::RestrictPtrTraits> sums) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= values.size(1)) return;
  scalar_t sum = 0;
  for (int row = 0; row < values.size(0); ++row) sum += values[row][column];
  sums[column] = sum;
}

torch::Tensor column_sums(torch::Tensor values) {
  auto sums = torch::empty({values.size(1)}, values.options());
  const int threads = 64;
  const dim3 blocks((values.size(1) + threads - 1) / threads);
  AT_DISPATCH_FLOATING_TYPES(values.scalar_type(), "column_sums", ([&] {
    column_sums_kernel<scalar_t><<<blocks, threads>>>(
        values.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
        sums.packed_accessor32<scalar_t, 1, torch::RestrictPtrTraits>());
  }));
  return sums;
}
