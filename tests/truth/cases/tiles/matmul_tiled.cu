//: defect forgets-the-first-barrier: race|uninitialised-read
//- __syncthreads();  // loaded
//+
//: defect forgets-the-second-barrier: race
//- __syncthreads();  // used
//+
//: defect loads-unguarded-rows: out-of-bounds
//- As[ty][tx] = row < M && t * TILE + tx < K ? A[row * K + t * TILE + tx] : 0.0f;
//+ As[ty][tx] = t * TILE + tx < K ? A[row * K + t * TILE + tx] : 0.0f;
//: defect loads-unguarded-columns: out-of-bounds
//- Bs[ty][tx] = t * TILE + ty < K && col < N ? B[(t * TILE + ty) * N + col] : 0.0f;
//+ Bs[ty][tx] = col < N ? B[(t * TILE + ty) * N + col] : 0.0f;
//: defect stores-unguarded: out-of-bounds|race|order-dependent
//- if (row < M && col < N) C[row * N + col] = sum;
//+ C[row * N + col] = sum;
#include <cuda_runtime.h>

#define TILE 16

__global__ void matmul(const float *A, const float *B, float *C, int M, int N, int K) {
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty;
  int col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int t = 0; t < (K + TILE - 1) / TILE; t++) {
    As[ty][tx] = row < M && t * TILE + tx < K ? A[row * K + t * TILE + tx] : 0.0f;
    Bs[ty][tx] = t * TILE + ty < K && col < N ? B[(t * TILE + ty) * N + col] : 0.0f;
    __syncthreads();  // loaded
    for (int k = 0; k < TILE; k++) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();  // used
  }
  if (row < M && col < N) C[row * N + col] = sum;
}

void multiply(const float *a, const float *b, float *c, int M, int N, int K) {
  float *d_a, *d_b, *d_c;
  cudaMalloc((void **)&d_a, M * K * sizeof(float));
  cudaMalloc((void **)&d_b, K * N * sizeof(float));
  cudaMalloc((void **)&d_c, M * N * sizeof(float));
  cudaMemcpy(d_a, a, M * K * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_b, b, K * N * sizeof(float), cudaMemcpyHostToDevice);
  dim3 threads(TILE, TILE);
  dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
  matmul<<<grid, threads>>>(d_a, d_b, d_c, M, N, K);
  cudaMemcpy(c, d_c, M * N * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_a);
  cudaFree(d_b);
  cudaFree(d_c);
}
