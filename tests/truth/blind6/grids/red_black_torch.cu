//: defect both-colours-move-at-once: race|order-dependent
//- if ((x + y) % 2 != colour) return;
//+ if (colour != 0 && colour != 1) return;
#include <torch/extension.h>

// A half-sweep of Gauss-Seidel on the inner cells of a grid of any shape; the border is given.
template <typename scalar_t>
__global__ void relax_kernel(torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> u,
                             const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> f, scalar_t h2,
                             int colour) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x + 1;
  const int y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= u.size(1) - 1 || y >= u.size(0) - 1) return;
  if ((x + y) % 2 != colour) return;
  u[y][x] = (u[y - 1][x] + u[y + 1][x] + u[y][x - 1] + u[y][x + 1] - h2 * f[y][x]) / 4;
}

void relax(torch::Tensor u, torch::Tensor f, double h) {
  TORCH_CHECK(u.is_cuda() && f.is_cuda(), "u and f must be CUDA tensors");
  TORCH_CHECK(u.dim() == 2 && u.sizes() == f.sizes(), "u and f must be grids of one shape");
  TORCH_CHECK(u.scalar_type() == f.scalar_type());
  if (u.size(0) < 3 || u.size(1) < 3) return;
  const dim3 threads(16, 16);
  const dim3 blocks((u.size(1) - 2 + 15) / 16, (u.size(0) - 2 + 15) / 16);
  AT_DISPATCH_FLOATING_TYPES(u.scalar_type(), "relax", [&] {
    for (int colour = 0; colour < 2; ++colour)
      relax_kernel<scalar_t><<<blocks, threads>>>(u.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
                                                  f.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),
                                                  (scalar_t)(h * h), colour);
  });
}
