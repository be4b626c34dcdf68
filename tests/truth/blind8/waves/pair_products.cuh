//: defect mask-is-a-count-of-lanes: excluded-caller
//- constexpr unsigned kAllLanes = 0xffffffffu;
//+ constexpr unsigned kAllLanes = 0x1f;
#pragma once

constexpr unsigned kAllLanes = 0xffffffffu;

// each warp sums the products of one row of each matrix; launch with whole warps
template <typename T>
__global__ void row_products(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  T sum = 0;
  for (int c = lane; c < columns; c += 32) sum += a[row * columns + c] * b[row * columns + c];
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_down_sync(kAllLanes, sum, distance);
  if (lane == 0) out[row] = sum;
}

inline void launch_row_products(const float* a, const float* b, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0) return;
  row_products<float><<<(rows + 3) / 4, 128, 0, stream>>>(a, b, out, rows, columns);
}
