//: defect tree-wants-a-power-of-two: own-check
//- for (int width = blockDim.x; width > 1;) {
//-     const int half = (width + 1) / 2;
//-     if (threadIdx.x < width - half) shared[threadIdx.x] += shared[threadIdx.x + half];
//-     __syncthreads();
//-     width = half;
//-   }
//+ for (int half = blockDim.x / 2; half > 0; half /= 2) {
//+     if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
//+     __syncthreads();
//+   }
#include <cmath>
#include <cstdio>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <cuda_runtime.h>

__global__ void blockMeans(const float* values, float* means, int count) {
  extern __shared__ float shared[];
  float own = 0;
  for (int i = threadIdx.x; i < count; i += blockDim.x) own += values[blockIdx.x * count + i];
  shared[threadIdx.x] = own;
  __syncthreads();
  for (int width = blockDim.x; width > 1;) {
    const int half = (width + 1) / 2;
    if (threadIdx.x < width - half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
    width = half;
  }
  if (threadIdx.x == 0) means[blockIdx.x] = shared[0] / count;
}

std::vector<float> meansOnDevice(const std::vector<float>& values, int groups) {
  const int count = values.size() / groups, threads = 96;
  std::vector<float> means(groups);
  float *d_values, *d_means;
  cudaMalloc(&d_values, values.size() * sizeof(float));
  cudaMalloc(&d_means, groups * sizeof(float));
  cudaMemcpy(d_values, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  blockMeans<<<groups, threads, threads * sizeof(float)>>>(d_values, d_means, count);
  cudaMemcpy(means.data(), d_means, groups * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d_values);
  cudaFree(d_means);
  return means;
}

int main() {
  const int groups = 6, count = 210;
  std::vector<float> values(groups * count);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.1f * i) + i / 300.f;
  const std::vector<float> means = meansOnDevice(values, groups);
  for (int g = 0; g < groups; ++g) {
    const double sum = std::accumulate(&values[g * count], &values[g * count] + count, 0.0);
    if (std::abs(sum / count - means[g]) > 1e-4) throw std::runtime_error("mean of a group is wrong");
  }
  std::puts("means are right");
}
