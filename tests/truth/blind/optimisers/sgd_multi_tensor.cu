//: defect chunk-is-taken-as-full: out-of-bounds
//- const int end = min(begin + kChunk, list.sizes[tensor]);
//+ const int end = begin + kChunk;
//: defect momenta-begin-with-rubbish: uninitialised-read
//- CHECK_CUDA(cudaMemset(momentum, 0, sizes[t] * sizeof(float)));
//+
//: defect momentum-holds-bytes: out-of-bounds
//- CHECK_CUDA(cudaMalloc(&momentum, sizes[t] * sizeof(float)));
//+ CHECK_CUDA(cudaMalloc(&momentum, sizes[t]));
//: defect chunks-overlap: race
//- const int begin = list.chunk_of_block[blockIdx.x] * kChunk;
//+ const int begin = list.chunk_of_block[blockIdx.x] * kChunk / 2;
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK_CUDA(...)                                                     \
  if (cudaError_t e = (__VA_ARGS__); e != cudaSuccess) {                    \
    std::fprintf(stderr, "%s: %s\n", #__VA_ARGS__, cudaGetErrorString(e));  \
    std::exit(1);                                                           \
  }

constexpr int kMaxTensors = 4;
constexpr int kMaxBlocks = 64;
constexpr int kChunk = 512;

struct TensorList {
  float* params[kMaxTensors];
  const float* grads[kMaxTensors];
  float* momenta[kMaxTensors];
  int sizes[kMaxTensors];
  unsigned char tensor_of_block[kMaxBlocks];
  int chunk_of_block[kMaxBlocks];
};

__global__ void sgd(TensorList list, float lr, float decay) {
  const int tensor = list.tensor_of_block[blockIdx.x];
  const int begin = list.chunk_of_block[blockIdx.x] * kChunk;
  const int end = min(begin + kChunk, list.sizes[tensor]);
  float* param = list.params[tensor];
  float* momentum = list.momenta[tensor];
  const float* grad = list.grads[tensor];
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x) {
    momentum[i] = decay * momentum[i] + grad[i];
    param[i] -= lr * momentum[i];
  }
}

int main() {
  const std::vector<int> sizes = {1000, 77, 4099, 512};
  TensorList list{};
  int blocks = 0;
  for (size_t t = 0; t < sizes.size(); ++t) {
    const std::vector<float> ones(sizes[t], 1.f);
    float *param, *grad, *momentum;
    CHECK_CUDA(cudaMalloc(&param, sizes[t] * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&grad, sizes[t] * sizeof(float)));
    CHECK_CUDA(cudaMalloc(&momentum, sizes[t] * sizeof(float)));
    CHECK_CUDA(cudaMemcpy(param, ones.data(), sizes[t] * sizeof(float), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(grad, ones.data(), sizes[t] * sizeof(float), cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(momentum, 0, sizes[t] * sizeof(float)));
    list.params[t] = param;
    list.grads[t] = grad;
    list.momenta[t] = momentum;
    list.sizes[t] = sizes[t];
    for (int chunk = 0; chunk * kChunk < sizes[t]; ++chunk, ++blocks) {
      list.tensor_of_block[blocks] = static_cast<unsigned char>(t);
      list.chunk_of_block[blocks] = chunk;
    }
  }
  sgd<<<blocks, 128>>>(list, 0.1f, 0.9f);
  float last = 0.f;
  CHECK_CUDA(cudaMemcpy(&last, list.params[2] + sizes[2] - 1, sizeof(float), cudaMemcpyDeviceToHost));
  std::printf("%f\n", last);
  return 0;
}
