//: defect room-for-one-of-two-arrays: out-of-bounds
//- const size_t bytes = kThreads * (sizeof(float) + sizeof(int));
//+ const size_t bytes = kThreads * sizeof(float);
#include <cuda_runtime.h>

constexpr int kThreads = 64;

__global__ void argmax_rows(const float* x, int* places, int columns) {
  extern __shared__ char room[];
  float* best = reinterpret_cast<float*>(room);
  int* where = reinterpret_cast<int*>(best + blockDim.x);
  const float* row = x + (size_t)blockIdx.x * columns;
  const int t = threadIdx.x;
  float largest = row[t < columns ? t : 0];
  int place = t < columns ? t : 0;
  for (int k = t; k < columns; k += blockDim.x) {
    if (row[k] > largest) {
      largest = row[k];
      place = k;
    }
  }
  best[t] = largest;
  where[t] = place;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half && (best[t + half] > best[t] || (best[t + half] == best[t] && where[t + half] < where[t]))) {
      best[t] = best[t + half];
      where[t] = where[t + half];
    }
    __syncthreads();
  }
  if (t == 0) places[blockIdx.x] = where[0];
}

bool find_largest(const float* x, int* places, int rows, int columns, cudaStream_t stream) {
  if (rows <= 0 || columns <= 0) return false;
  const size_t bytes = kThreads * (sizeof(float) + sizeof(int));
  argmax_rows<<<rows, kThreads, bytes, stream>>>(x, places, columns);
  return cudaGetLastError() == cudaSuccess;
}
