//: defect rows-of-odd-width-are-read-in-pairs: misaligned|uninitialised-output
//- if (columns % 2 == 0)
//+ if (columns > 1)
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define THREADS 64

__device__ static float sum_of_block(float value) {
  __shared__ float values[THREADS];
  values[threadIdx.x] = value;
  __syncthreads();
  for (int half_count = THREADS / 2; half_count > 0; half_count >>= 1) {
    if (threadIdx.x < half_count) values[threadIdx.x] += values[threadIdx.x + half_count];
    __syncthreads();
  }
  return values[0];
}

__global__ void rms_norm_pairs(const half *x, const half *weight, half *y, int columns, float epsilon) {
  const half2 *row = (const half2 *)(x + (size_t)blockIdx.x * columns);
  const half2 *w = (const half2 *)weight;
  half2 *out = (half2 *)(y + (size_t)blockIdx.x * columns);
  float squares = 0.f;
  for (int i = threadIdx.x; i < columns / 2; i += THREADS) {
    const float2 v = __half22float2(row[i]);
    squares += v.x * v.x + v.y * v.y;
  }
  const float scale = rsqrtf(sum_of_block(squares) / columns + epsilon);
  for (int i = threadIdx.x; i < columns / 2; i += THREADS) {
    const float2 v = __half22float2(row[i]), g = __half22float2(w[i]);
    out[i] = __floats2half2_rn(v.x * scale * g.x, v.y * scale * g.y);
  }
}

__global__ void rms_norm_single(const half *x, const half *weight, half *y, int columns, float epsilon) {
  const half *row = x + (size_t)blockIdx.x * columns;
  half *out = y + (size_t)blockIdx.x * columns;
  float squares = 0.f;
  for (int i = threadIdx.x; i < columns; i += THREADS) squares += __half2float(row[i]) * __half2float(row[i]);
  const float scale = rsqrtf(sum_of_block(squares) / columns + epsilon);
  for (int i = threadIdx.x; i < columns; i += THREADS)
    out[i] = __float2half(__half2float(row[i]) * scale * __half2float(weight[i]));
}

extern "C" void launch_rms_norm(const half *x, const half *weight, half *y, int rows, int columns, float epsilon,
                                cudaStream_t stream) {
  if (columns % 2 == 0)
    rms_norm_pairs<<<rows, THREADS, 0, stream>>>(x, weight, y, columns, epsilon);
  else
    rms_norm_single<<<rows, THREADS, 0, stream>>>(x, weight, y, columns, epsilon);
}
