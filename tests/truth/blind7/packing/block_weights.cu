//: defect halves-of-a-block-lie-in-turns: out-of-bounds
//- y[block * BLOCK + j + BLOCK / 2] = (high - 8) * d;
//+ y[block * BLOCK + 2 * j + BLOCK / 2] = (high - 8) * d;
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define BLOCK 32

// 32 weights of four bits with a scale in half precision; the upper bits hold the second half.
typedef struct {
  half d;
  uint8_t qs[BLOCK / 2];
} block_q4;

static_assert(sizeof(block_q4) == sizeof(half) + BLOCK / 2, "wrong block size");

template <typename dst_t>
static __global__ void dequantize_q4(const block_q4 *__restrict__ x, dst_t *__restrict__ y, const int64_t blocks) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  const int64_t block = i / (BLOCK / 2);
  const int j = i % (BLOCK / 2);
  if (block >= blocks) return;
  const float d = __half2float(x[block].d);
  const int low = x[block].qs[j] & 0xf, high = x[block].qs[j] >> 4;
  y[block * BLOCK + j] = (low - 8) * d;
  y[block * BLOCK + j + BLOCK / 2] = (high - 8) * d;
}

void dequantize_row_q4_cuda(const void *x, float *y, int64_t k, cudaStream_t stream) {
  const int64_t blocks = k / BLOCK;
  dequantize_q4<<<(blocks * BLOCK / 2 + 127) / 128, 128, 0, stream>>>((const block_q4 *)x, y, blocks);
}

int main() {
  const int64_t k = 25 * BLOCK;
  block_q4 *host = (block_q4 *)malloc(k / BLOCK * sizeof(block_q4));
  for (int b = 0; b < k / BLOCK; ++b) {
    host[b].d = __float2half(0.25f * (b + 1));
    for (int j = 0; j < BLOCK / 2; ++j) host[b].qs[j] = (uint8_t)(b * 31 + j * 7);
  }
  void *x;
  float *y, *out = (float *)malloc(k * sizeof(float));
  cudaMalloc(&x, k / BLOCK * sizeof(block_q4));
  cudaMalloc((void **)&y, k * sizeof(float));
  cudaMemcpy(x, host, k / BLOCK * sizeof(block_q4), cudaMemcpyHostToDevice);
  dequantize_row_q4_cuda(x, y, k, 0);
  cudaMemcpy(out, y, k * sizeof(float), cudaMemcpyDeviceToHost);
  float sum = 0;
  for (int64_t i = 0; i < k; ++i) sum += out[i];
  printf("sum of weights: %f\n", sum);
  cudaFree(x);
  cudaFree(y);
  free(host);
  free(out);
  return 0;
}
