//: defect threads-behind-the-end-leave-early: divergent-barrier|uninitialised-read
//- const bool inside = i < n;
//+ const bool inside = true;
//+ if (i >= n) return;
#include <cstdio>
#include <vector>

#include <cuda_runtime.h>

constexpr int THREADS = 128;

__global__ void addRightNeighbour(const int* in, int* out, int n) {
  __shared__ int s[THREADS + 1];
  const int i = blockIdx.x * THREADS + threadIdx.x;
  const bool inside = i < n;
  s[threadIdx.x] = inside ? in[i] : 0;
  if (threadIdx.x == 0) s[THREADS] = (blockIdx.x + 1) * THREADS < n ? in[(blockIdx.x + 1) * THREADS] : 0;
  __syncthreads();
  if (inside) out[i] = s[threadIdx.x] + s[threadIdx.x + 1];
}

int main() {
  const int n = 1000;
  std::vector<int> host(n), result(n);
  for (int i = 0; i < n; ++i) host[i] = (i * i) % 97;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  addRightNeighbour<<<(n + THREADS - 1) / THREADS, THREADS>>>(in, out, n);
  cudaMemcpy(result.data(), out, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  for (int i = 0; i < n; ++i) {
    if (result[i] != host[i] + (i + 1 < n ? host[i + 1] : 0)) {
      printf("FAILED at %d\n", i);
      return 1;
    }
  }
  printf("PASSED\n");
}
