//: defect search-looks-behind-the-last-edge: out-of-bounds
//- int low = 0, high = edge_count - 1;
//+ int low = 0, high = edge_count;
//- while (high - low > 1) {
//+ while (low < high) {
//- if (edges[middle] <= values[i]) low = middle;
//+ if (edges[middle + 1] <= values[i]) low = middle + 1;
#include <cuda_runtime.h>

__global__ void interval_of_value(const float* edges, int edge_count, const float* values, int* intervals, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int low = 0, high = edge_count - 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (edges[middle] <= values[i]) low = middle;
    else high = middle;
  }
  intervals[i] = low;
}

int find_intervals(const float* host_edges, int edge_count, const float* host_values, int* host_intervals, int n) {
  if (edge_count < 2 || n < 1) return -1;
  float *edges, *values;
  int* intervals;
  if (cudaMalloc((void**)&edges, edge_count * sizeof(float)) || cudaMalloc((void**)&values, n * sizeof(float)) ||
      cudaMalloc((void**)&intervals, n * sizeof(int))) {
    return -2;
  }
  cudaMemcpy(edges, host_edges, edge_count * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(values, host_values, n * sizeof(float), cudaMemcpyHostToDevice);
  interval_of_value<<<(n + 63) / 64, 64>>>(edges, edge_count, values, intervals, n);
  cudaMemcpy(host_intervals, intervals, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(edges);
  cudaFree(values);
  cudaFree(intervals);
  return 0;
}
