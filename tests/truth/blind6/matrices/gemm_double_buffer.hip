//: defect next-tile-is-loaded-into-the-one-in-use: race
//- load_tile(a, b, tile_a[1 - current], tile_b[1 - current], m, n, k, row, column, begin + TILE);
//+ load_tile(a, b, tile_a[current], tile_b[current], m, n, k, row, column, begin + TILE);
//- current = 1 - current;
//+ current = 0;
#include <hip/hip_runtime.h>

#define TILE 16

__device__ void load_tile(const float* a, const float* b, float (*tile_a)[TILE], float (*tile_b)[TILE], int m, int n,
                          int k, int row, int column, int begin) {
  const int ka = begin + threadIdx.x, kb = begin + threadIdx.y;
  tile_a[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0.f;
  tile_b[threadIdx.y][threadIdx.x] = column < n && kb < k ? b[kb * n + column] : 0.f;
}

// C = A * B; the next tiles are loaded while the present ones are multiplied.
__global__ void gemm_double_buffered(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[2][TILE][TILE];
  __shared__ float tile_b[2][TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.f;
  int current = 0;
  load_tile(a, b, tile_a[0], tile_b[0], m, n, k, row, column, 0);
  __syncthreads();
  for (int begin = 0; begin < k; begin += TILE) {
    if (begin + TILE < k)
      load_tile(a, b, tile_a[1 - current], tile_b[1 - current], m, n, k, row, column, begin + TILE);
    for (int i = 0; i < TILE; ++i) sum += tile_a[current][threadIdx.y][i] * tile_b[current][i][threadIdx.x];
    __syncthreads();
    current = 1 - current;
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

extern "C" hipError_t sgemm_nn(const float* a, const float* b, float* c, int m, int n, int k, hipStream_t stream) {
  const dim3 threads(TILE, TILE);
  const dim3 blocks((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  hipLaunchKernelGGL(gemm_double_buffered, blocks, threads, 0, stream, a, b, c, m, n, k);
  return hipGetLastError();
}
