//: defect next-tile-overwrites-the-one-in-use: race
//- const int next = 1 - stage;
//+ const int next = stage;
//: defect no-barrier-between-tiles: race
//- stage = next;
//-     __syncthreads();
//+ stage = next;
//: defect depth-is-not-guarded: out-of-bounds
//- return row < rows && col < cols ? matrix[row * cols + col] : 0.f;
//+ return row < rows ? matrix[row * cols + col] : 0.f;
//: defect result-has-no-guard: out-of-bounds
//- if (row < m && col < n) c[row * n + col] = sum;
//+ c[row * n + col] = sum;
#include <cuda_runtime.h>

#include <memory>
#include <stdexcept>
#include <vector>

template <typename T>
using DevicePtr = std::unique_ptr<T, cudaError_t (*)(void*)>;

template <typename T>
DevicePtr<T> allocate(size_t count) {
  void* memory = nullptr;
  cudaMalloc(&memory, count * sizeof(T));
  return DevicePtr<T>(static_cast<T*>(memory), [](void* p) { return cudaFree(p); });
}

__device__ __forceinline__ float load_or_zero(const float* matrix, int row, int col, int rows, int cols) {
  return row < rows && col < cols ? matrix[row * cols + col] : 0.f;
}

template <int kTile>
__global__ void gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float tile_a[2][kTile][kTile];
  __shared__ float tile_b[2][kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty;
  const int col = blockIdx.x * kTile + tx;
  const int tiles = (k + kTile - 1) / kTile;

  int stage = 0;
  tile_a[0][ty][tx] = load_or_zero(a, row, tx, m, k);
  tile_b[0][ty][tx] = load_or_zero(b, ty, col, k, n);
  __syncthreads();

  float sum = 0.f;
  for (int t = 0; t < tiles; ++t) {
    const int next = 1 - stage;
    if (t + 1 < tiles) {
      tile_a[next][ty][tx] = load_or_zero(a, row, (t + 1) * kTile + tx, m, k);
      tile_b[next][ty][tx] = load_or_zero(b, (t + 1) * kTile + ty, col, k, n);
    }
    for (int i = 0; i < kTile; ++i) sum += tile_a[stage][ty][i] * tile_b[stage][i][tx];
    stage = next;
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

std::vector<float> multiply(const std::vector<float>& a, const std::vector<float>& b, int m, int n, int k) {
  if (m <= 0 || n <= 0 || k <= 0 || m > 16384 || n > 16384 || k > 16384) throw std::invalid_argument("size");
  auto d_a = allocate<float>(size_t(m) * k);
  auto d_b = allocate<float>(size_t(k) * n);
  auto d_c = allocate<float>(size_t(m) * n);
  cudaMemcpy(d_a.get(), a.data(), sizeof(float) * m * k, cudaMemcpyHostToDevice);
  cudaMemcpy(d_b.get(), b.data(), sizeof(float) * k * n, cudaMemcpyHostToDevice);
  constexpr int kTile = 16;
  const dim3 block(kTile, kTile, 1);
  const dim3 grid((n - 1) / kTile + 1, (m - 1) / kTile + 1, 1);
  gemm<kTile><<<grid, block>>>(d_a.get(), d_b.get(), d_c.get(), m, n, k);
  std::vector<float> c(size_t(m) * n);
  cudaMemcpy(c.data(), d_c.get(), sizeof(float) * m * n, cudaMemcpyDeviceToHost);
  return c;
}

int main() {
  const int m = 75, n = 53, k = 101;
  const std::vector<float> a(m * k, 0.5f), b(k * n, 2.f);
  return multiply(a, b, m, n, k)[m * n - 1] == float(k) ? 0 : 1;
}
