//: defect empty-voxels-are-divided-too: divide-by-zero
//- if (counts[voxel] == 0) return;
//+
//: defect points-outside-are-added: out-of-bounds
//- if (x < 0 || y < 0 || x >= grid || y >= grid) return;
//+ if (x >= grid || y >= grid) return;
//: defect counts-begin-with-rubbish: uninitialised-read
//- auto counts = at::zeros({grid, grid}, colours.options());
//+ auto counts = at::empty({grid, grid}, colours.options());
#include <torch/extension.h>

__global__ void add_points(const float *__restrict__ points, const int *__restrict__ colours, int *sums, int *counts,
                           int n, int grid, float inverse_size) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i >= n) return;
  const int x = (int)fminf(fmaxf(floorf(points[2 * i] * inverse_size), -1.f), (float)grid);
  const int y = (int)fminf(fmaxf(floorf(points[2 * i + 1] * inverse_size), -1.f), (float)grid);
  if (x < 0 || y < 0 || x >= grid || y >= grid) return;
  atomicAdd(sums + y * grid + x, colours[i] & 0xff);
  atomicAdd(counts + y * grid + x, 1);
}

__global__ void divide_sums(int *sums, const int *counts, int voxels) {
  const int voxel = blockDim.x * blockIdx.x + threadIdx.x;
  if (voxel >= voxels) return;
  if (counts[voxel] == 0) return;
  sums[voxel] = sums[voxel] / counts[voxel];
}

at::Tensor voxel_mean(at::Tensor points, at::Tensor colours, double size) {
  TORCH_CHECK(points.is_cuda() && points.is_contiguous() && points.dim() == 2 && points.size(1) == 2);
  TORCH_CHECK(colours.is_cuda() && colours.is_contiguous() && colours.dim() == 1);
  TORCH_CHECK(points.scalar_type() == at::kFloat && colours.scalar_type() == at::kInt);
  TORCH_CHECK(points.size(0) == colours.size(0) && points.size(0) < (1 << 23));
  TORCH_CHECK(size > 1e-6, "size of a voxel must be positive");
  const int64_t grid = 48;
  auto sums = at::zeros({grid, grid}, colours.options());
  auto counts = at::zeros({grid, grid}, colours.options());
  const int n = colours.size(0);
  const int voxels = grid * grid;
  if (n > 0)
    add_points<<<(n + 255) / 256, 256>>>(points.data_ptr<float>(), colours.data_ptr<int>(), sums.data_ptr<int>(),
                                         counts.data_ptr<int>(), n, grid, 1.0 / size);
  divide_sums<<<(voxels + 255) / 256, 256>>>(sums.data_ptr<int>(), counts.data_ptr<int>(), voxels);
  return sums;
}
