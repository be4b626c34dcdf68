//: defect empty-segments-divide-by-nothing: divide-by-zero
//- means[s] = size > 0 ? sum / size : 0;
//+ means[s] = sum / size;
#include <cuda_runtime.h>

#include <cstdio>
#include <numeric>
#include <vector>

// Mean of each segment, rounded to zero; a segment without values has mean 0.
__global__ void segmentMeans(const int* values, const int* ends, int* means, int segments) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= segments) return;
  const int begin = s == 0 ? 0 : ends[s - 1];
  const int size = ends[s] - begin;
  int sum = 0;
  for (int k = begin; k < ends[s]; ++k) sum += values[k];
  means[s] = size > 0 ? sum / size : 0;
}

int main() {
  const std::vector<int> sizes = {3, 0, 5, 1, 0, 12, 7, 0, 4};
  std::vector<int> ends(sizes.size());
  std::partial_sum(sizes.begin(), sizes.end(), ends.begin());
  std::vector<int> values(ends.back());
  for (size_t k = 0; k < values.size(); ++k) values[k] = (int)(k * 17 % 23);
  int *d_values, *d_ends, *d_means;
  cudaMalloc(&d_values, values.size() * sizeof(int));
  cudaMalloc(&d_ends, ends.size() * sizeof(int));
  cudaMalloc(&d_means, ends.size() * sizeof(int));
  cudaMemcpy(d_values, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_ends, ends.data(), ends.size() * sizeof(int), cudaMemcpyHostToDevice);
  segmentMeans<<<1, 32>>>(d_values, d_ends, d_means, (int)ends.size());
  std::vector<int> means(ends.size());
  cudaMemcpy(means.data(), d_means, means.size() * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(d_values);
  cudaFree(d_ends);
  cudaFree(d_means);
  for (size_t s = 0; s < sizes.size(); ++s) {
    const int* first = values.data() + ends[s] - sizes[s];
    const int expected = sizes[s] ? std::accumulate(first, first + sizes[s], 0) / sizes[s] : 0;
    if (means[s] != expected) {
      std::printf("segment %zu: %d, not %d\n", s, means[s], expected);
      return 1;
    }
  }
  std::printf("ok\n");
  return 0;
}
