//: defect right-edge-of-the-last-tile-is-not-loaded: uninitialised-read
//- if (t == TILE - 1 || i == n - 1) tile[t + 2] = i + 1 < n ? in[i + 1] : 0.f;
//+ if (t == TILE - 1) tile[t + 2] = i + 1 < n ? in[i + 1] : 0.f;
#include <cuda_runtime.h>

#define TILE 64

// Each value becomes the mean of itself and its neighbours; there are zeros beyond both ends.
__global__ void three_point(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float tile[TILE + 2];
  const int t = threadIdx.x;
  const int i = blockIdx.x * TILE + t;
  if (i < n) {
    tile[t + 1] = in[i];
    if (t == 0) tile[0] = i > 0 ? in[i - 1] : 0.f;
    if (t == TILE - 1 || i == n - 1) tile[t + 2] = i + 1 < n ? in[i + 1] : 0.f;
  }
  __syncthreads();
  if (i < n) out[i] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3.f;
}

cudaError_t smooth(const float* in, float* out, int n, cudaStream_t stream) {
  if (n <= 0) return cudaErrorInvalidValue;
  three_point<<<(n + TILE - 1) / TILE, TILE, 0, stream>>>(in, out, n);
  return cudaGetLastError();
}
