//: defect tile-has-as-many-rows-as-the-block: array-bounds|out-of-bounds
//- __shared__ scalar_t tile[32][33];
//+ __shared__ scalar_t tile[8][33];
#include <torch/extension.h>

// Transposes each of a batch of matrices; a block of 32 x 8 threads turns a tile of 32 x 32.
template <typename scalar_t>
__global__ void turn_planes(const scalar_t* in, scalar_t* out, int height, int width) {
  __shared__ scalar_t tile[32][33];
  in += (int64_t)blockIdx.z * height * width;
  out += (int64_t)blockIdx.z * height * width;
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(int64_t)(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (x < height && y + j < width) out[(int64_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

at::Tensor transpose_batch(at::Tensor in) {
  TORCH_CHECK(in.is_cuda() && in.dim() == 3);
  in = in.contiguous();
  const auto batch = in.size(0), height = in.size(1), width = in.size(2);
  auto out = at::empty({batch, width, height}, in.options());
  if (in.numel() == 0) return out;
  const dim3 grid((width + 31) / 32, (height + 31) / 32, batch);
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(in.scalar_type(), "transpose_batch", [&] {
    turn_planes<scalar_t><<<grid, dim3(32, 8)>>>(in.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), height, width);
  });
  return out;
}
