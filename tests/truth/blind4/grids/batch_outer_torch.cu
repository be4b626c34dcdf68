//: defect grid-has-no-batches: uninitialised-read|uninitialised-output
//- const dim3 blocks((m + 15) / 16, (n + 15) / 16, batches);
//+ const dim3 blocks((m + 15) / 16, (n + 15) / 16);
#include <torch/extension.h>

__global__ void batch_outer_kernel(const float* u, const float* v, float* products, int n, int m) {
  const int column = blockIdx.x * 16 + threadIdx.x;
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int batch = blockIdx.z;
  if (row >= n || column >= m) return;
  products[(batch * n + row) * m + column] = u[batch * n + row] * v[batch * m + column];
}

torch::Tensor batch_outer(torch::Tensor u, torch::Tensor v) {
  TORCH_CHECK(u.dim() == 2 && v.dim() == 2 && u.size(0) == v.size(0), "batches differ");
  TORCH_CHECK(u.scalar_type() == torch::kFloat && v.scalar_type() == torch::kFloat);
  u = u.contiguous();
  v = v.contiguous();
  const int batches = u.size(0), n = u.size(1), m = v.size(1);
  auto products = torch::empty({batches, n, m}, u.options());
  if (products.numel() == 0) return products;
  const dim3 blocks((m + 15) / 16, (n + 15) / 16, batches);
  batch_outer_kernel<<<blocks, dim3(16, 16)>>>(u.data_ptr<float>(), v.data_ptr<float>(), products.data_ptr<float>(),
                                               n, m);
  return products;
}
