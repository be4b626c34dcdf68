//: defect writes-unguarded: out-of-bounds
//- if (out_x < rows && out_y + j < cols)
//+ if (out_x < rows)
//: defect forgets-the-barrier: race|uninitialised-read
//- __syncthreads();
//+
//: defect tile-without-a-row: array-bounds|out-of-bounds
//- __shared__ float tile[TILE][TILE + 1];
//+ __shared__ float tile[TILE - 1][TILE + 1];
#include <torch/extension.h>

constexpr int TILE = 32;
constexpr int STEP = 8;

__global__ void transpose_kernel(const float *__restrict__ input, float *__restrict__ output, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += STEP)
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = input[(y + j) * cols + x];
  __syncthreads();
  int out_x = blockIdx.y * TILE + threadIdx.x;
  int out_y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += STEP)
    if (out_x < rows && out_y + j < cols) output[(out_y + j) * rows + out_x] = tile[threadIdx.x][threadIdx.y + j];
}

torch::Tensor transpose(torch::Tensor input) {
  TORCH_CHECK(input.dim() == 2, "a matrix is expected");
  const int rows = input.size(0), cols = input.size(1);
  auto output = torch::empty({cols, rows}, input.options());
  dim3 threads(TILE, STEP);
  dim3 blocks((cols + TILE - 1) / TILE, (rows + TILE - 1) / TILE);
  transpose_kernel<<<blocks, threads>>>(input.data_ptr<float>(), output.data_ptr<float>(), rows, cols);
  return output;
}
