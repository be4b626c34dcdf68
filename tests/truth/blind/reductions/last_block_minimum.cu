//: defect ticket-begins-with-rubbish: uninitialised-read
//- CUDA_TRY(cudaMemset(ticket_, 0, sizeof(unsigned)));
//+
//: defect flag-is-read-without-a-barrier: race|uninitialised-read|divergent-barrier
//- if (threadIdx.x == 0) is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
//-   __syncthreads();
//+ if (threadIdx.x == 0) is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
//: defect partials-for-too-few-blocks: out-of-bounds
//- CUDA_TRY(cudaMalloc(&partials_, kBlocks * sizeof(float)));
//+ CUDA_TRY(cudaMalloc(&partials_, kBlocks));
//: defect tree-adds-its-own-end: out-of-bounds|array-bounds|race
//- if (threadIdx.x < half) lows[threadIdx.x] = fminf(lows[threadIdx.x], lows[threadIdx.x + half]);
//+ if (threadIdx.x <= half) lows[threadIdx.x] = fminf(lows[threadIdx.x], lows[threadIdx.x + half]);
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdio>
#include <stdexcept>
#include <vector>

#define CUDA_TRY(expression)                                                     \
  do {                                                                           \
    const cudaError_t code_ = (expression);                                      \
    if (code_ != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code_)); \
  } while (false)

constexpr unsigned kBlocks = 24;
constexpr unsigned kThreads = 128;

__device__ float block_minimum(float low) {
  __shared__ float lows[kThreads];
  __syncthreads();
  lows[threadIdx.x] = low;
  __syncthreads();
  for (unsigned half = kThreads / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) lows[threadIdx.x] = fminf(lows[threadIdx.x], lows[threadIdx.x + half]);
    __syncthreads();
  }
  return lows[0];
}

__global__ void minimum(const float* values, size_t n, float* partials, unsigned* ticket, float* result) {
  __shared__ bool is_last;
  float low = FLT_MAX;
  for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    low = fminf(low, values[i]);
  low = block_minimum(low);
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = low;
    __threadfence();
  }
  if (threadIdx.x == 0) is_last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;

  __threadfence();
  low = threadIdx.x < gridDim.x ? ((volatile float*)partials)[threadIdx.x] : FLT_MAX;
  low = block_minimum(low);
  if (threadIdx.x == 0) *result = low;
}

class MinimumFinder {
 public:
  MinimumFinder() {
    CUDA_TRY(cudaMalloc(&partials_, kBlocks * sizeof(float)));
    CUDA_TRY(cudaMalloc(&ticket_, sizeof(unsigned)));
    CUDA_TRY(cudaMalloc(&result_, sizeof(float)));
    CUDA_TRY(cudaMemset(ticket_, 0, sizeof(unsigned)));
  }
  ~MinimumFinder() {
    cudaFree(partials_);
    cudaFree(ticket_);
    cudaFree(result_);
  }
  float operator()(const std::vector<float>& values) {
    float* device = nullptr;
    CUDA_TRY(cudaMalloc(&device, values.size() * sizeof(float)));
    CUDA_TRY(cudaMemcpy(device, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
    minimum<<<kBlocks, kThreads>>>(device, values.size(), partials_, ticket_, result_);
    float low = 0.f;
    CUDA_TRY(cudaMemcpy(&low, result_, sizeof(float), cudaMemcpyDeviceToHost));
    CUDA_TRY(cudaFree(device));
    return low;
  }

 private:
  float* partials_ = nullptr;
  unsigned* ticket_ = nullptr;
  float* result_ = nullptr;
};

int main() {
  std::vector<float> values(10007);
  for (size_t i = 0; i < values.size(); ++i) values[i] = float((i * 271) % 1009) - 400.f;
  MinimumFinder find;
  std::printf("%g\n", find(values));
}
