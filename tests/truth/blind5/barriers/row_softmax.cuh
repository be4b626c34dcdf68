//: defect maximum-is-overwritten-before-all-read-it: race
//- __syncthreads();  // shared memory is used again
//+
#pragma once

#include <cuda_runtime.h>
#include <math_constants.h>

namespace nn {

struct MaxOp {
  static __device__ float identity() { return -CUDART_INF_F; }
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct SumOp {
  static __device__ float identity() { return 0.f; }
  __device__ float operator()(float a, float b) const { return a + b; }
};

template <typename Op, int THREADS>
__device__ float blockReduce(float value, float* shared) {
  Op op;
  shared[threadIdx.x] = value;
  __syncthreads();
#pragma unroll
  for (int width = THREADS / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) shared[threadIdx.x] = op(shared[threadIdx.x], shared[threadIdx.x + width]);
    __syncthreads();
  }
  const float result = shared[0];
  __syncthreads();  // shared memory is used again
  return result;
}

template <int THREADS>
__global__ void softmaxKernel(const float* in, float* out, int columns) {
  __shared__ float shared[THREADS];
  in += (size_t)blockIdx.x * columns;
  out += (size_t)blockIdx.x * columns;
  float largest = MaxOp::identity();
  for (int c = threadIdx.x; c < columns; c += THREADS) largest = fmaxf(largest, in[c]);
  largest = blockReduce<MaxOp, THREADS>(largest, shared);
  float sum = SumOp::identity();
  for (int c = threadIdx.x; c < columns; c += THREADS) sum += expf(in[c] - largest);
  sum = blockReduce<SumOp, THREADS>(sum, shared);
  for (int c = threadIdx.x; c < columns; c += THREADS) out[c] = expf(in[c] - largest) / sum;
}

/// Softmax of each row; `in` and `out` hold rows * columns floats on the device.
inline void softmaxRows(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (columns <= 64)
    softmaxKernel<64><<<rows, 64, 0, stream>>>(in, out, columns);
  else
    softmaxKernel<256><<<rows, 256, 0, stream>>>(in, out, columns);
}

}  // namespace nn
//: file test_softmax.cu
#include <cmath>
#include <cstdio>
#include <vector>

#include "row_softmax.cuh"

int main() {
  const int rows = 3, columns = 300;
  std::vector<float> x(rows * columns), y(rows * columns);
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::sin(0.37 * i) * 4;
  float *in, *out;
  cudaMalloc(&in, x.size() * sizeof(float));
  cudaMalloc(&out, x.size() * sizeof(float));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMemcpyAsync(in, x.data(), x.size() * sizeof(float), cudaMemcpyHostToDevice, stream);
  nn::softmaxRows(in, out, rows, columns, stream);
  cudaMemcpyAsync(y.data(), out, x.size() * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFree(in);
  cudaFree(out);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < columns; ++c) sum += std::exp(x[r * columns + c]);
    for (int c = 0; c < columns; ++c)
      if (std::fabs(y[r * columns + c] - std::exp(x[r * columns + c]) / sum) > 1e-5) return std::puts("FAIL"), 1;
  }
  std::puts("PASS");
  return 0;
}
