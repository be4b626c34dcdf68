//: defect product-begins-with-rubbish: uninitialised-read
//- auto out = torch::zeros({num_rows, features}, dense.options());
//+ auto out = torch::empty({num_rows, features}, dense.options());
//: defect duplicates-add-without-atomics: race|order-dependent
//- atomicAdd(&out[row][f], values[e] * dense[col][f]);
//+ out[row][f] += values[e] * dense[col][f];
//: defect entries-have-no-tail-guard: out-of-bounds
//- if (e >= values.size(0)) return;
//+
//: defect columns-are-held-against-the-rows: out-of-bounds
//- if (row < 0 || row >= out.size(0) || col < 0 || col >= dense.size(0)) return;
//+ if (row < 0 || row >= dense.size(0) || col < 0 || col >= out.size(0)) return;
#include <torch/extension.h>

template <typename T, size_t D>
using Accessor = torch::PackedTensorAccessor64<T, D, torch::RestrictPtrTraits>;

__global__ void coo_spmm(const Accessor<int64_t, 2> index, const Accessor<float, 1> values,
                         const Accessor<float, 2> dense, Accessor<float, 2> out) {
  const int64_t e = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
  if (e >= values.size(0)) return;
  const int64_t row = index[0][e], col = index[1][e];
  if (row < 0 || row >= out.size(0) || col < 0 || col >= dense.size(0)) return;
  for (int64_t f = threadIdx.x; f < dense.size(1); f += blockDim.x)
    atomicAdd(&out[row][f], values[e] * dense[col][f]);
}

torch::Tensor spmm(torch::Tensor index, torch::Tensor values, torch::Tensor dense, int64_t num_rows) {
  TORCH_CHECK(index.dim() == 2 && index.size(0) == 2, "index must be 2 x nnz");
  TORCH_CHECK(values.dim() == 1 && values.size(0) == index.size(1));
  TORCH_CHECK(dense.dim() == 2 && num_rows >= 0);
  TORCH_CHECK(index.is_cuda() && values.is_cuda() && dense.is_cuda());
  const int64_t features = dense.size(1);
  auto out = torch::zeros({num_rows, features}, dense.options());
  const int64_t nnz = values.size(0);
  if (nnz == 0) return out;
  const dim3 threads(32, 8);
  coo_spmm<<<(nnz + threads.y - 1) / threads.y, threads>>>(
      index.packed_accessor64<int64_t, 2, torch::RestrictPtrTraits>(),
      values.packed_accessor64<float, 1, torch::RestrictPtrTraits>(),
      dense.packed_accessor64<float, 2, torch::RestrictPtrTraits>(),
      out.packed_accessor64<float, 2, torch::RestrictPtrTraits>());
  return out;
}
