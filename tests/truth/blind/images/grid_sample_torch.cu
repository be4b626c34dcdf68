//: defect right-neighbour-outside: out-of-bounds
//- return y >= 0 && y < plane.size(0) && x >= 0 && x < plane.size(1) ? plane[y][x] : scalar_t(0);
//+ return y >= 0 && y < plane.size(0) && x >= 0 && x <= plane.size(1) ? plane[y][x] : scalar_t(0);
//: defect guard-on-rows-is-missing: out-of-bounds
//- if (x >= output.size(3) || y >= output.size(2)) return;
//+ if (x >= output.size(3)) return;
#include <torch/extension.h>

using torch::PackedTensorAccessor32;
using torch::RestrictPtrTraits;

template <typename scalar_t, typename Plane>
__device__ __forceinline__ scalar_t value_at(const Plane plane, int y, int x) {
  return y >= 0 && y < plane.size(0) && x >= 0 && x < plane.size(1) ? plane[y][x] : scalar_t(0);
}

template <typename scalar_t>
__global__ void sample_kernel(const PackedTensorAccessor32<scalar_t, 4, RestrictPtrTraits> input,
                              const PackedTensorAccessor32<scalar_t, 4, RestrictPtrTraits> grid,
                              PackedTensorAccessor32<scalar_t, 4, RestrictPtrTraits> output) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int n = blockIdx.z;
  if (x >= output.size(3) || y >= output.size(2)) return;
  const int height = input.size(2), width = input.size(3);
  scalar_t sx = (grid[n][y][x][0] + 1) * scalar_t(0.5) * (width - 1);
  scalar_t sy = (grid[n][y][x][1] + 1) * scalar_t(0.5) * (height - 1);
  sx = fmin(fmax(sx, scalar_t(-1)), scalar_t(width));
  sy = fmin(fmax(sy, scalar_t(-1)), scalar_t(height));
  const int x0 = static_cast<int>(floor(sx)), y0 = static_cast<int>(floor(sy));
  const scalar_t dx = sx - x0, dy = sy - y0;
  for (int c = 0; c < input.size(1); ++c) {
    const auto plane = input[n][c];
    const scalar_t top = (1 - dx) * value_at<scalar_t>(plane, y0, x0) + dx * value_at<scalar_t>(plane, y0, x0 + 1);
    const scalar_t bottom =
        (1 - dx) * value_at<scalar_t>(plane, y0 + 1, x0) + dx * value_at<scalar_t>(plane, y0 + 1, x0 + 1);
    output[n][c][y][x] = (1 - dy) * top + dy * bottom;
  }
}

torch::Tensor grid_sample(torch::Tensor input, torch::Tensor grid) {
  TORCH_CHECK(input.is_cuda() && grid.is_cuda());
  TORCH_CHECK(input.dim() == 4 && grid.dim() == 4 && grid.size(3) == 2 && grid.size(0) == input.size(0));
  TORCH_CHECK(input.scalar_type() == grid.scalar_type());
  TORCH_CHECK(input.numel() > 0 && grid.numel() > 0 && input.size(0) <= 65535);
  const auto out_h = grid.size(1), out_w = grid.size(2);
  TORCH_CHECK(input.numel() < (1 << 30) && input.size(0) * input.size(1) * out_h * out_w < (1 << 30));
  input = input.contiguous();
  grid = grid.contiguous();
  auto output = torch::empty({input.size(0), input.size(1), out_h, out_w}, input.options());
  const dim3 threads(32, 8);
  const dim3 blocks((out_w + 31) / 32, (out_h + 7) / 8, input.size(0));
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "grid_sample", ([&] {
    sample_kernel<scalar_t><<<blocks, threads>>>(
        input.packed_accessor32<scalar_t, 4, RestrictPtrTraits>(),
        grid.packed_accessor32<scalar_t, 4, RestrictPtrTraits>(),
        output.packed_accessor32<scalar_t, 4, RestrictPtrTraits>());
  }));
  return output;
}
