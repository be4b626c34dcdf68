//: defect depth-is-taken-in-whole-tiles: own-check|out-of-bounds
//- a_tile[ty][tx] = row < m && t + tx < k ? A[row * k + t + tx] : 0.0f;
//+ a_tile[ty][tx] = row < m ? A[row * k + t + tx] : 0.0f;
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

#define TILE 16
#define CUDA_CALL(call)                                                              \
  do {                                                                               \
    cudaError_t status = (call);                                                     \
    if (status != cudaSuccess) {                                                     \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      exit(EXIT_FAILURE);                                                            \
    }                                                                                \
  } while (0)

__global__ void batched_product(const float *a, const float *b, float *c, int m, int n, int k) {
  __shared__ float a_tile[TILE][TILE], b_tile[TILE][TILE];
  const float *A = a + (size_t)blockIdx.z * m * k;
  const float *B = b + (size_t)blockIdx.z * k * n;
  float *C = c + (size_t)blockIdx.z * m * n;
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0.0f;
  for (int t = 0; t < k; t += TILE) {
    a_tile[ty][tx] = row < m && t + tx < k ? A[row * k + t + tx] : 0.0f;
    b_tile[ty][tx] = col < n && t + ty < k ? B[(t + ty) * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; i++) sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) C[row * n + col] = sum;
}

int main(void) {
  int batch = 3, m = 19, n = 33, k = 21;
  size_t bytes_a = sizeof(float) * batch * m * k, bytes_b = sizeof(float) * batch * k * n, bytes_c = sizeof(float) * batch * m * n;
  float *a = (float *)malloc(bytes_a), *b = (float *)malloc(bytes_b), *c = (float *)malloc(bytes_c);
  for (int i = 0; i < batch * m * k; i++) a[i] = (float)(i % 7) - 3;
  for (int i = 0; i < batch * k * n; i++) b[i] = (float)(i % 5) * 0.5f;
  float *d_a, *d_b, *d_c;
  CUDA_CALL(cudaMalloc(&d_a, bytes_a));
  CUDA_CALL(cudaMalloc(&d_b, bytes_b));
  CUDA_CALL(cudaMalloc(&d_c, bytes_c));
  CUDA_CALL(cudaMemcpy(d_a, a, bytes_a, cudaMemcpyHostToDevice));
  CUDA_CALL(cudaMemcpy(d_b, b, bytes_b, cudaMemcpyHostToDevice));
  batched_product<<<dim3((n + TILE - 1) / TILE, (m + TILE - 1) / TILE, batch), dim3(TILE, TILE)>>>(d_a, d_b, d_c, m, n, k);
  CUDA_CALL(cudaGetLastError());
  CUDA_CALL(cudaMemcpy(c, d_c, bytes_c, cudaMemcpyDeviceToHost));
  for (int s = 0; s < batch; s++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < n; j++) {
        float sum = 0;
        for (int l = 0; l < k; l++) sum += a[(s * m + i) * k + l] * b[(s * k + l) * n + j];
        assert(fabsf(sum - c[(s * m + i) * n + j]) < 1e-3f);
      }
  CUDA_CALL(cudaFree(d_a));
  CUDA_CALL(cudaFree(d_b));
  CUDA_CALL(cudaFree(d_c));
  free(a);
  free(b);
  free(c);
  puts("ok");
  return 0;
}
