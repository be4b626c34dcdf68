//: defect second-run-may-be-short: out-of-bounds
//- const int end = min(begin + 2 * width, n);
//+ const int end = begin + 2 * width;
#include <cuda_runtime.h>

// Merges neighbouring sorted runs of `width` values; the last run may be short.
__global__ void mergeRuns(const int *in, int *out, int n, int width) {
  const int pair = blockIdx.x * blockDim.x + threadIdx.x;
  const int begin = pair * 2 * width;
  if (begin >= n) return;
  const int middle = min(begin + width, n);
  const int end = min(begin + 2 * width, n);
  int a = begin, b = middle;
  for (int to = begin; to < end; ++to) {
    if (a < middle && (b >= end || in[a] <= in[b]))
      out[to] = in[a++];
    else
      out[to] = in[b++];
  }
}

// Sorts n values on the device; `scratch` has room for as many. Returns where the result lies.
int *mergeSort(int *values, int *scratch, int n, cudaStream_t stream) {
  for (int width = 1; width < n; width *= 2) {
    const int pairs = (n + 2 * width - 1) / (2 * width);
    const int threads = 64;
    mergeRuns<<<(pairs + threads - 1) / threads, threads, 0, stream>>>(values, scratch, n, width);
    int *swapped = values;
    values = scratch;
    scratch = swapped;
  }
  return values;
}
//: file sort_test.cu
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

int *mergeSort(int *values, int *scratch, int n, cudaStream_t stream);

int main() {
  const int n = 150;
  std::vector<int> values(n);
  for (int i = 0; i < n; ++i) values[i] = (i * 611 + 77) % 1009 - 500;
  int *a, *b;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMemcpy(a, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  const int *sorted = mergeSort(a, b, n, 0);
  cudaMemcpy(values.data(), sorted, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 1; i < n; ++i) {
    if (values[i - 1] > values[i]) {
      std::printf("out of order at %d\n", i);
      return 1;
    }
  }
  cudaFree(a);
  cudaFree(b);
  std::printf("sorted\n");
  return 0;
}
