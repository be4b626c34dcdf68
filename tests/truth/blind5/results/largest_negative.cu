//: defect largest-begins-at-zero: own-check
//- float best = -INFINITY;
//+ float best = 0.0f;
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

__global__ void maxPerBlock(const float* data, float* blockMax, int count) {
  __shared__ float shared[256];
  float best = -INFINITY;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    best = fmaxf(best, data[i]);
  shared[threadIdx.x] = best;
  __syncthreads();
  for (int step = 128; step >= 1; step /= 2) {
    if (threadIdx.x < step) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + step]);
    __syncthreads();
  }
  if (threadIdx.x == 0) blockMax[blockIdx.x] = shared[0];
}

int main() {
  const int count = 3000, blocks = 5;
  std::vector<float> logs(count), partial(blocks);
  for (int i = 0; i < count; ++i) logs[i] = std::log(((i * 7 + 3) % 1009 + 1) / 1200.0f);
  float *d_logs, *d_partial;
  cudaMalloc(&d_logs, count * sizeof(float));
  cudaMalloc(&d_partial, blocks * sizeof(float));
  cudaMemcpy(d_logs, logs.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  maxPerBlock<<<blocks, 256>>>(d_logs, d_partial, count);
  cudaMemcpy(partial.data(), d_partial, blocks * sizeof(float), cudaMemcpyDeviceToHost);
  const float found = *std::max_element(partial.begin(), partial.end());
  const float expected = *std::max_element(logs.begin(), logs.end());
  cudaFree(d_logs);
  cudaFree(d_partial);
  if (found != expected) {
    std::cerr << "Mismatch: " << found << " != " << expected << std::endl;
    return 1;
  }
  std::cout << "Match: " << found << std::endl;
  return 0;
}
