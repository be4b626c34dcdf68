//: defect no-barrier-between-bits: race
//- for (int bit = 0; bit < 32; ++bit) {
//-     __syncthreads();
//+ for (int bit = 0; bit < 32; ++bit) {
//: defect one-bit-too-many: shift
//- for (int bit = 0; bit < 32; ++bit) {
//+ for (int bit = 0; bit <= 32; ++bit) {
//: defect unused-keys-are-not-filled: uninitialised-read
//- keys[tid] = tid < n ? data[blockIdx.x * n + tid] : 0xffffffffu;
//+ if (tid < n) keys[tid] = data[blockIdx.x * n + tid];
#include <cuda_runtime.h>

#include <cassert>
#include <cstdint>
#include <vector>

namespace {

constexpr int kKeys = 256;

__global__ void sort_segments(uint32_t* data, int n) {
  __shared__ uint32_t keys[kKeys];
  __shared__ int ones[kKeys];
  const int tid = threadIdx.x;
  keys[tid] = tid < n ? data[blockIdx.x * n + tid] : 0xffffffffu;

  for (int bit = 0; bit < 32; ++bit) {
    __syncthreads();
    const uint32_t key = keys[tid];
    const int is_one = (key >> bit) & 1u;
    ones[tid] = is_one;
    __syncthreads();
    for (int step = 1; step < kKeys; step <<= 1) {
      const int left = tid >= step ? ones[tid - step] : 0;
      __syncthreads();
      ones[tid] += left;
      __syncthreads();
    }
    const int zeros = kKeys - ones[kKeys - 1];
    const int to = is_one ? zeros + ones[tid] - 1 : tid - ones[tid];
    keys[to] = key;
  }
  __syncthreads();
  if (tid < n) data[blockIdx.x * n + tid] = keys[tid];
}

}  // namespace

void sort_all_segments(std::vector<uint32_t>& host, int segments, int n) {
  assert(n > 0 && n <= kKeys && segments > 0 && segments <= 65535);
  assert(host.size() == size_t(segments) * n);
  uint32_t* device = nullptr;
  cudaMalloc(&device, host.size() * sizeof(uint32_t));
  cudaMemcpy(device, host.data(), host.size() * sizeof(uint32_t), cudaMemcpyHostToDevice);
  sort_segments<<<segments, kKeys>>>(device, n);
  cudaMemcpy(host.data(), device, host.size() * sizeof(uint32_t), cudaMemcpyDeviceToHost);
  cudaFree(device);
}

int main() {
  std::vector<uint32_t> host(5 * 201);
  uint32_t state = 12345;
  for (auto& value : host) value = state = state * 1664525u + 1013904223u;
  sort_all_segments(host, 5, 201);
  return host[0] <= host[1] ? 0 : 1;
}
