//: defect an-empty-list-has-a-last-place: out-of-bounds
//- for (unsigned i = 0; i + 1 < length; ++i)
//+ for (unsigned i = 0; i < length - 1; ++i)
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

// how often a value is followed by a larger one, in each of many lists
__global__ void count_ascents(const float* values, const unsigned* begins, unsigned* ascents, unsigned lists) {
  const unsigned list = blockIdx.x * blockDim.x + threadIdx.x;
  if (list >= lists) return;
  const float* own = values + begins[list];
  const unsigned length = begins[list + 1] - begins[list];
  unsigned count = 0;
  for (unsigned i = 0; i + 1 < length; ++i)
    if (own[i] < own[i + 1]) ++count;
  ascents[list] = count;
}

int main() {
  const unsigned lists = 50;
  std::vector<unsigned> begins{0}, ascents(lists);
  std::vector<float> values;
  for (unsigned list = 0; list < lists; ++list) {
    for (unsigned i = 0; i < list % 6; ++i) values.push_back(static_cast<float>((list * 7 + i * 5) % 11));
    begins.push_back(static_cast<unsigned>(values.size()));
  }
  float* d_values;
  unsigned *d_begins, *d_ascents;
  cudaMalloc(&d_values, values.size() * sizeof(float));
  cudaMalloc(&d_begins, begins.size() * sizeof(unsigned));
  cudaMalloc(&d_ascents, lists * sizeof(unsigned));
  cudaMemcpy(d_values, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d_begins, begins.data(), begins.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
  count_ascents<<<2, 32>>>(d_values, d_begins, d_ascents, lists);
  cudaMemcpy(ascents.data(), d_ascents, lists * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (unsigned list = 0; list < lists; ++list) std::printf("%u ", ascents[list]);
  std::printf("\n");
  cudaFree(d_values);
  cudaFree(d_begins);
  cudaFree(d_ascents);
  return 0;
}
