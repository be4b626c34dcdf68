//: defect doubles-follow-an-odd-number-of-floats: misaligned
//- double* totals = reinterpret_cast<double*>(memory + (threads + 1) / 2 * 2 * sizeof(float));
//+ double* totals = reinterpret_cast<double*>(memory + (threads + 1) * sizeof(float));
//: defect thread-zero-adds-its-neighbour-s-total-only: race|uninitialised-read
//- __syncthreads();  // totals are there
//+
#include <cuda_runtime.h>

// Sum of a block in double precision; values and totals share the dynamic memory.
__global__ void sum_blocks(const float* values, double* sums, int n) {
  extern __shared__ __align__(16) unsigned char memory[];
  const int threads = blockDim.x;
  float* own = reinterpret_cast<float*>(memory);
  double* totals = reinterpret_cast<double*>(memory + (threads + 1) / 2 * 2 * sizeof(float));
  const int i = blockIdx.x * threads + threadIdx.x;
  own[threadIdx.x] = i < n ? values[i] : 0.f;
  __syncthreads();
  totals[threadIdx.x] = own[threadIdx.x] + (threadIdx.x + 1 < threads ? (double)own[threadIdx.x + 1] : 0.0);
  __syncthreads();  // totals are there
  if (threadIdx.x == 0) {
    double sum = 0.0;
    for (int t = 0; t < threads; t += 2) sum += totals[t];
    sums[blockIdx.x] = sum;
  }
}

int main() {
  const int n = 333, threads = 64, blocks = (n + threads - 1) / threads;
  float host[n];
  for (int i = 0; i < n; ++i) host[i] = 1.0f / (1 + i);
  float* values;
  double* sums;
  cudaMalloc(&values, sizeof(host));
  cudaMalloc(&sums, blocks * sizeof(double));
  cudaMemcpy(values, host, sizeof(host), cudaMemcpyHostToDevice);
  sum_blocks<<<blocks, threads, (threads + 2) * sizeof(float) + threads * sizeof(double)>>>(values, sums, n);
  double result[blocks];
  cudaMemcpy(result, sums, sizeof(result), cudaMemcpyDeviceToHost);
  double total = 0;
  for (double s : result) total += s;
  return total > 6 && total < 7 ? 0 : 1;
}
