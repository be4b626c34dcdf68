//: defect tail-of-the-tile-is-not-cleared: uninitialised-read
//- sb[ty][tx] = k < K && col < N ? B[batch * stride_b + k * ldb + col] : 0.f;
//+ if (k < K && col < N) sb[ty][tx] = B[batch * stride_b + k * ldb + col];
//: defect columns-are-held-against-the-rows: out-of-bounds
//- if (row < M && col < N) {
//+ if (row < N && col < M) {
//: defect tiles-are-loaded-before-all-are-done: race
//- __syncthreads();  // the tiles were used
//+
#include <cuda_runtime.h>

#include <cstdlib>
#include <vector>

#define T 8

__global__ void gemm_strided_batched(const float* A, const float* B, float* C, int M, int N, int K, int lda, int ldb,
                                     int ldc, long stride_a, long stride_b, long stride_c, float alpha, float beta) {
  __shared__ float sa[T][T];
  __shared__ float sb[T][T];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * T + ty, col = blockIdx.x * T + tx;
  const long batch = blockIdx.z;
  float sum = 0.f;
  for (int base = 0; base < K; base += T) {
    const int ka = base + tx;
    sa[ty][tx] = row < M && ka < K ? A[batch * stride_a + row * lda + ka] : 0.f;
    const int k = base + ty;
    sb[ty][tx] = k < K && col < N ? B[batch * stride_b + k * ldb + col] : 0.f;
    __syncthreads();
    for (int i = 0; i < T; ++i) sum += sa[ty][i] * sb[i][tx];
    __syncthreads();  // the tiles were used
  }
  if (row < M && col < N) {
    float* c = C + batch * stride_c + row * ldc + col;
    *c = alpha * sum + (beta == 0.f ? 0.f : beta * *c);
  }
}

static void fill(std::vector<float>& v) {
  for (float& x : v) x = (float)rand() / RAND_MAX - 0.5f;
}

int main() {
  const int M = 19, N = 27, K = 21, batches = 3;
  std::vector<float> a(batches * M * K), b(batches * K * N), c(batches * M * N);
  fill(a);
  fill(b);
  fill(c);
  float *da, *db, *dc;
  cudaMalloc(&da, a.size() * sizeof(float));
  cudaMalloc(&db, b.size() * sizeof(float));
  cudaMalloc(&dc, c.size() * sizeof(float));
  cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(dc, c.data(), c.size() * sizeof(float), cudaMemcpyHostToDevice);
  dim3 block(T, T), grid((N + T - 1) / T, (M + T - 1) / T, batches);
  gemm_strided_batched<<<grid, block>>>(da, db, dc, M, N, K, K, N, N, M * K, K * N, M * N, 1.5f, 0.5f);
  cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
  return 0;
}
