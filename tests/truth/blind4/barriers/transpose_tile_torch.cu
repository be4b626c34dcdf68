//: defect tile-is-read-without-a-barrier: race
//- __syncthreads();
//+
#include <torch/extension.h>

constexpr int kTile = 16;

__global__ void transpose_tile_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

at::Tensor transpose_tile(at::Tensor in) {
  TORCH_CHECK(in.dim() == 2, "a matrix is needed");
  TORCH_CHECK(in.dtype() == at::kFloat);
  in = in.contiguous();
  const int rows = in.size(0), columns = in.size(1);
  at::Tensor out = at::empty({columns, rows}, in.options());
  if (in.numel() == 0) return out;
  const dim3 threads(kTile, kTile);
  const dim3 blocks((columns + kTile - 1) / kTile, (rows + kTile - 1) / kTile);
  transpose_tile_kernel<<<blocks, threads>>>(in.data_ptr<float>(), out.data_ptr<float>(), rows, columns);
  return out;
}
