//: defect blocks-add-their-own-total-too: own-check
//- data[i] += totals[blockIdx.x - 1];
//+ data[i] += totals[blockIdx.x];
#include <cuda_runtime.h>

#include <cassert>
#include <iostream>
#include <numeric>
#include <vector>

namespace {

constexpr int kBlock = 64;

__global__ void scanBlocks(unsigned* data, unsigned* totals, int n) {
  __shared__ unsigned buffer[2][kBlock];
  const int i = blockIdx.x * kBlock + threadIdx.x;
  int from = 0;
  buffer[from][threadIdx.x] = i < n ? data[i] : 0u;
  __syncthreads();
  for (int step = 1; step < kBlock; step <<= 1) {
    unsigned value = buffer[from][threadIdx.x];
    if (threadIdx.x >= step) value += buffer[from][threadIdx.x - step];
    buffer[1 - from][threadIdx.x] = value;
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) data[i] = buffer[from][threadIdx.x];
  if (threadIdx.x == kBlock - 1) totals[blockIdx.x] = buffer[from][threadIdx.x];
}

__global__ void addTotals(unsigned* data, const unsigned* totals, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (blockIdx.x == 0 || i >= n) return;
  data[i] += totals[blockIdx.x - 1];
}

void inclusiveScan(unsigned* data, int n) {
  const int blocks = (n + kBlock - 1) / kBlock;
  unsigned *totals, *ignored;
  cudaMalloc(&totals, blocks * sizeof(unsigned));
  scanBlocks<<<blocks, kBlock>>>(data, totals, n);
  if (blocks > 1) {
    assert(blocks <= kBlock);
    cudaMalloc(&ignored, sizeof(unsigned));
    scanBlocks<<<1, kBlock>>>(totals, ignored, blocks);
    addTotals<<<blocks, kBlock>>>(data, totals, n);
    cudaFree(ignored);
  }
  cudaFree(totals);
}

bool check(int n) {
  std::vector<unsigned> host(n), expected(n);
  for (int i = 0; i < n; ++i) host[i] = (i * 37u + 11u) % 64u;
  std::partial_sum(host.begin(), host.end(), expected.begin());
  unsigned* device;
  cudaMalloc(&device, n * sizeof(unsigned));
  cudaMemcpy(device, host.data(), n * sizeof(unsigned), cudaMemcpyHostToDevice);
  inclusiveScan(device, n);
  cudaMemcpy(host.data(), device, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  cudaFree(device);
  return host == expected;
}

}  // namespace

int main() {
  for (int n : {1, 64, 65, 500}) {
    if (!check(n)) {
      std::cerr << "scan of " << n << " values differs from the host's" << std::endl;
      return 1;
    }
  }
  std::cout << "all scans agree" << std::endl;
}
