//: defect both-partners-swap: race|order-dependent|own-check
//- if (partner > id) {
//+ if (partner != id) {
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

// One step of a bitonic sort; the length is a power of two and the grid has as many threads.
__global__ void bitonic_step(unsigned int* keys, unsigned int distance, unsigned int span) {
  const unsigned int id = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned int partner = id ^ distance;
  if (partner > id) {
    const unsigned int a = keys[id], b = keys[partner];
    const bool ascending = (id & span) == 0;
    if ((a > b) == ascending) {
      keys[id] = b;
      keys[partner] = a;
    }
  }
}

int main() {
  const unsigned int length = 512;
  std::vector<unsigned int> keys(length);
  for (unsigned int i = 0; i < length; ++i) keys[i] = (i * 7919u + 13u) % 4093u;
  std::vector<unsigned int> expected = keys;
  std::sort(expected.begin(), expected.end());

  unsigned int* device;
  if (hipMalloc((void**)&device, length * sizeof(unsigned int)) != hipSuccess) return 2;
  hipMemcpy(device, keys.data(), length * sizeof(unsigned int), hipMemcpyHostToDevice);
  for (unsigned int span = 2; span <= length; span *= 2)
    for (unsigned int distance = span / 2; distance > 0; distance /= 2)
      hipLaunchKernelGGL(bitonic_step, dim3(length / 128), dim3(128), 0, 0, device, distance, span);
  hipDeviceSynchronize();
  hipMemcpy(keys.data(), device, length * sizeof(unsigned int), hipMemcpyDeviceToHost);
  hipFree(device);
  if (keys != expected) {
    std::printf("not sorted\n");
    return 1;
  }
  std::printf("sorted %u keys\n", length);
  return 0;
}
