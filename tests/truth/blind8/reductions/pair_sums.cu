//: defect second-element-of-a-pair-is-there: out-of-bounds
//- if (i + blockDim.x < n) sum += in[i + blockDim.x];
//+ sum += in[i + blockDim.x];
#include <cstdio>
#include <cuda_runtime.h>

#define CHECK(call)                                                              \
  do {                                                                           \
    cudaError_t error = (call);                                                  \
    if (error != cudaSuccess) {                                                  \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      return 1;                                                                  \
    }                                                                            \
  } while (0)

// each block walks over the input in steps of two blocks
__global__ void reduce_pairs(const int *in, int *out, unsigned n) {
  extern __shared__ int cache[];
  unsigned i = blockIdx.x * blockDim.x * 2 + threadIdx.x;
  const unsigned step = gridDim.x * blockDim.x * 2;
  int sum = 0;
  while (i < n) {
    sum += in[i];
    if (i + blockDim.x < n) sum += in[i + blockDim.x];
    i += step;
  }
  cache[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = cache[0];
}

int main() {
  const unsigned n = 777, threads = 64, blocks = 4;
  int in[n], out[blocks], expected = 0, total = 0;
  for (unsigned i = 0; i < n; ++i) expected += in[i] = static_cast<int>(i * 7 % 23);
  int *d_in, *d_out;
  CHECK(cudaMalloc(&d_in, sizeof in));
  CHECK(cudaMalloc(&d_out, sizeof out));
  CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
  reduce_pairs<<<blocks, threads, threads * sizeof(int)>>>(d_in, d_out, n);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
  for (int sum : out) total += sum;
  printf("%s: %d, expected %d\n", total == expected ? "PASSED" : "FAILED", total, expected);
  cudaFree(d_in);
  cudaFree(d_out);
  return total == expected ? 0 : 1;
}
