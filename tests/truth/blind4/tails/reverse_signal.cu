//: defect first-sample-comes-from-behind-the-end: out-of-bounds
//- reversed[i] = signal[n - 1 - i];
//+ reversed[i] = signal[n - i];
#include <cuda_runtime.h>

__global__ void reverse_signal(const short* signal, short* reversed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    reversed[i] = signal[n - 1 - i];
  }
}

extern "C" int reverse(const short* samples, short* out, int n) {
  if (n <= 0) return -1;
  short *signal, *reversed;
  if (cudaMalloc((void**)&signal, n * sizeof(short)) != cudaSuccess) return -2;
  if (cudaMalloc((void**)&reversed, n * sizeof(short)) != cudaSuccess) {
    cudaFree(signal);
    return -2;
  }
  cudaMemcpy(signal, samples, n * sizeof(short), cudaMemcpyHostToDevice);
  reverse_signal<<<(n + 127) / 128, 128>>>(signal, reversed, n);
  cudaMemcpy(out, reversed, n * sizeof(short), cudaMemcpyDeviceToHost);
  cudaFree(signal);
  cudaFree(reversed);
  return 0;
}
