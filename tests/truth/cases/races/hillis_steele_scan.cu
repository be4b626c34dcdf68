//: defect one-buffer-only: race
//- to = 1 - to;
//+ to = 0;
//: defect forgets-a-barrier: race
//- __syncthreads();  // of a step
//+
#include <cuda_runtime.h>

#define N 512

__global__ void inclusive_scan(const int *in, int *out) {
  __shared__ int temp[2][N];
  int tid = threadIdx.x;
  int to = 0;
  temp[to][tid] = in[tid];
  __syncthreads();
  for (int offset = 1; offset < N; offset *= 2) {
    int from = to;
    to = 1 - to;
    if (tid >= offset)
      temp[to][tid] = temp[from][tid] + temp[from][tid - offset];
    else
      temp[to][tid] = temp[from][tid];
    __syncthreads();  // of a step
  }
  out[tid] = temp[to][tid];
}

int main() {
  int host[N], result[N];
  for (int i = 0; i < N; i++) host[i] = i % 7;
  int *d_in, *d_out;
  cudaMalloc(&d_in, N * sizeof(int));
  cudaMalloc(&d_out, N * sizeof(int));
  cudaMemcpy(d_in, host, N * sizeof(int), cudaMemcpyHostToDevice);
  inclusive_scan<<<1, N>>>(d_in, d_out);
  cudaMemcpy(result, d_out, N * sizeof(int), cudaMemcpyDeviceToHost);
  int sum = 0;
  for (int i = 0; i < N; i++) {
    sum += host[i];
    if (result[i] != sum) return 1;
  }
  return 0;
}
