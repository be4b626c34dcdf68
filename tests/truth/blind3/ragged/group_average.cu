//: defect empty-groups-divide-by-nothing: divide-by-zero
//- averages[g] = members > 0 ? sum / members : 0;
//+ averages[g] = sum / members;
//: defect groups-end-where-the-one-behind-them-ends: out-of-bounds
//- const int end = ends[g];
//+ const int end = ends[g + 1];
#include <cuda_runtime.h>

// ends[g] is behind the last member of group g; group 0 begins at 0.
__global__ void average_groups(const int* values, const int* ends, int* averages, int groups) {
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= groups) return;
  const int begin = g == 0 ? 0 : ends[g - 1];
  const int end = ends[g];
  const int members = end - begin;
  int sum = 0;
  for (int i = begin; i < end; ++i) sum += values[i] & 0xffff;
  averages[g] = members > 0 ? sum / members : 0;
}

int main() {
  const int groups = 70;
  int ends[groups];
  int total = 0;
  for (int g = 0; g < groups; ++g) {
    total += g % 5;
    ends[g] = total;
  }
  int* values = new int[total];
  for (int i = 0; i < total; ++i) values[i] = 3 * i + 1;
  int *d_values, *d_ends, *d_averages;
  cudaMalloc(&d_values, total * sizeof(int));
  cudaMalloc(&d_ends, sizeof(ends));
  cudaMalloc(&d_averages, groups * sizeof(int));
  cudaMemcpy(d_values, values, total * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_ends, ends, sizeof(ends), cudaMemcpyHostToDevice);
  average_groups<<<(groups + 31) / 32, 32>>>(d_values, d_ends, d_averages, groups);
  int averages[groups];
  cudaMemcpy(averages, d_averages, sizeof(averages), cudaMemcpyDeviceToHost);
  delete[] values;
  return averages[0] == 0 ? 0 : 1;
}
