//: defect lanes-that-have-left-are-asked: inactive-lane|divergent-warp|excluded-caller
//- if (lane + offset < lanes) largest = fmaxf(largest, other);
//+ largest = fmaxf(largest, other);
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

__device__ int as_ordered(float value) {
  int bits = __float_as_int(value);
  return bits >= 0 ? bits : bits ^ 0x7fffffff;
}

__global__ void clipped_maximum(const float *x, int n, float limit, int *result) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned active = __ballot_sync(0xffffffff, i < n);
  if (i < n) {
    float largest = fminf(x[i], limit);
    int lane = threadIdx.x & 31, lanes = __popc(active);
    for (int offset = 16; offset > 0; offset >>= 1) {
      float other = __shfl_down_sync(active, largest, offset);
      if (lane + offset < lanes) largest = fmaxf(largest, other);
    }
    if (lane == 0) atomicMax(result, as_ordered(largest));
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  float *x, *host = (float *)malloc(n * sizeof(float));
  int *result, lowest = (int)0x80000000, bits;
  for (int i = 0; i < n; i++) host[i] = (float)((i * 7919) % 1024) - 1700.0f;
  cudaMalloc((void **)&x, n * sizeof(float));
  cudaMalloc((void **)&result, sizeof(int));
  cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(result, &lowest, sizeof(int), cudaMemcpyHostToDevice);
  clipped_maximum<<<(n + 127) / 128, 128>>>(x, n, 250.0f, result);
  cudaMemcpy(&bits, result, sizeof(int), cudaMemcpyDeviceToHost);
  printf("largest has bits %08x\n", bits);
  cudaFree(x);
  cudaFree(result);
  free(host);
  return 0;
}
