//: defect odd-widths-lose-their-pairing: misaligned|out-of-bounds
//- if (columns <= 0 || columns % 2 != 0 || rows <= 0) return cudaErrorInvalidValue;
//+ if (columns <= 0 || rows <= 0) return cudaErrorInvalidValue;
//- const int pairs = columns / 2;
//+ const int pairs = (columns + 1) / 2;
//: defect other-lanes-have-left: inactive-lane|divergent-warp|excluded-caller
//- float sum = 0.0f;
//+ float sum = 0.0f;
//+   if (lane >= pairs) return;
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// A warp normalises a row of an embedding table in place.
__global__ void l2_normalise_rows(__half* table, int rows, int columns, float floor_norm) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x & 31;
  if (row >= rows) return;
  const int pairs = columns / 2;
  __half2* cells = reinterpret_cast<__half2*>(table + (size_t)row * columns);
  float sum = 0.0f;
  for (int i = lane; i < pairs; i += 32) {
    const float2 v = __half22float2(cells[i]);
    sum += v.x * v.x + v.y * v.y;
  }
  for (int offset = 16; offset; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  const float factor = 1.0f / fmaxf(sqrtf(sum), floor_norm);
  for (int i = lane; i < pairs; i += 32) {
    const float2 v = __half22float2(cells[i]);
    cells[i] = __floats2half2_rn(v.x * factor, v.y * factor);
  }
}

cudaError_t normalise_embeddings(__half* device_table, int rows, int columns, cudaStream_t stream) {
  if (columns <= 0 || columns % 2 != 0 || rows <= 0) return cudaErrorInvalidValue;
  const int warps_per_block = 4;
  const int blocks = (rows + warps_per_block - 1) / warps_per_block;
  l2_normalise_rows<<<blocks, warps_per_block * 32, 0, stream>>>(device_table, rows, columns, 1e-6f);
  return cudaGetLastError();
}
