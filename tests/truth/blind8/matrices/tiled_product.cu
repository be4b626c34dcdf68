//: defect grid-has-whole-tiles-alone: own-check|uninitialised-read
//- dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
//+ dim3 grid(n / TILE, m / TILE);
#include <cmath>
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

constexpr int TILE = 16;

__global__ void multiply_tiles(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < k; first += TILE) {
    const int a_column = first + threadIdx.x, b_row = first + threadIdx.y;
    a_tile[threadIdx.y][threadIdx.x] = row < m && a_column < k ? a[row * k + a_column] : 0;
    b_tile[threadIdx.y][threadIdx.x] = b_row < k && column < n ? b[b_row * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += a_tile[threadIdx.y][i] * b_tile[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

int main() {
  const int m = 40, n = 50, k = 33;
  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (int i = 0; i < m * k; ++i) a[i] = static_cast<float>(i % 13) - 6;
  for (int i = 0; i < k * n; ++i) b[i] = static_cast<float>(i % 11) / 4;
  float *da, *db, *dc;
  cudaMalloc(&da, a.size() * sizeof(float));
  cudaMalloc(&db, b.size() * sizeof(float));
  cudaMalloc(&dc, c.size() * sizeof(float));
  cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(TILE, TILE);
  dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  multiply_tiles<<<grid, block>>>(da, db, dc, m, n, k);
  cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  bool correct = true;
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
      if (!(std::fabs(c[row * n + column] - sum) < 1e-2f)) {
        std::printf("Error! Matrix[%d, %d]=%f, ref=%f\n", row, column, c[row * n + column], sum);
        correct = false;
      }
    }
  }
  std::printf("Result= %s\n", correct ? "PASS" : "FAIL");
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return correct ? 0 : 1;
}
