//: defect room-is-for-numbers-without-gaps: out-of-bounds
//- const size_t bytes = (n + n / BANKS) * sizeof(int);
//+ const size_t bytes = n * sizeof(int);
#include <stdio.h>

#include <cuda_runtime.h>

#define BANKS 32
#define PLACE(i) ((i) + (i) / BANKS)

/* sums of all that comes before, by one block of half as many threads as there are numbers, a power of two of them */
__global__ void scan_block(const int *in, int *out, int n) {
  extern __shared__ int sums[];
  const int t = threadIdx.x;
  sums[PLACE(2 * t)] = in[2 * t];
  sums[PLACE(2 * t + 1)] = in[2 * t + 1];
  int distance = 1;
  for (int pairs = n / 2; pairs > 0; pairs /= 2) {
    __syncthreads();
    if (t < pairs) sums[PLACE(distance * (2 * t + 2) - 1)] += sums[PLACE(distance * (2 * t + 1) - 1)];
    distance *= 2;
  }
  if (t == 0) sums[PLACE(n - 1)] = 0;
  for (int pairs = 1; pairs < n; pairs *= 2) {
    distance /= 2;
    __syncthreads();
    if (t < pairs) {
      const int low = PLACE(distance * (2 * t + 1) - 1), high = PLACE(distance * (2 * t + 2) - 1), sum = sums[low];
      sums[low] = sums[high];
      sums[high] += sum;
    }
  }
  __syncthreads();
  out[2 * t] = sums[PLACE(2 * t)];
  out[2 * t + 1] = sums[PLACE(2 * t + 1)];
}

int main(void) {
  const int n = 256;
  int in[n], out[n];
  for (int i = 0; i < n; ++i) in[i] = i % 7;
  int *d_in, *d_out;
  cudaMalloc((void **)&d_in, sizeof in);
  cudaMalloc((void **)&d_out, sizeof out);
  cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice);
  const size_t bytes = (n + n / BANKS) * sizeof(int);
  scan_block<<<1, n / 2, bytes>>>(d_in, d_out, n);
  cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
  printf("last sum: %d\n", out[n - 1]);
  cudaFree(d_in);
  cudaFree(d_out);
  return 0;
}
