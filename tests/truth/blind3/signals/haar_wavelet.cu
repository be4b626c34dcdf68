//: defect pairs-are-overwritten-before-all-are-read: race
//- __syncthreads();  // all pairs are read
//+
//: defect more-pairs-than-there-are: out-of-bounds
//- for (int length = n; length > 1; length /= 2) {
//+ for (int length = 2 * n; length > 1; length /= 2) {
#include "wavelet.h"

__global__ void haar_forward(float* signals, int n) {
  extern __shared__ float line[];
  float* signal = signals + (size_t)blockIdx.x * n;
  const int t = threadIdx.x;
  line[2 * t] = signal[2 * t];
  line[2 * t + 1] = signal[2 * t + 1];
  __syncthreads();
  for (int length = n; length > 1; length /= 2) {
    float a = 0.f, b = 0.f;
    if (t < length / 2) {
      a = line[2 * t];
      b = line[2 * t + 1];
    }
    __syncthreads();  // all pairs are read
    if (t < length / 2) {
      line[t] = (a + b) * 0.70710678f;
      line[length / 2 + t] = (a - b) * 0.70710678f;
    }
    __syncthreads();
  }
  signal[2 * t] = line[2 * t];
  signal[2 * t + 1] = line[2 * t + 1];
}

int wavelet_forward(float* device_signals, int count, int n) {
  if (count <= 0 || n < 2 || n > 2048 || (n & (n - 1)) != 0) return WAVELET_BAD_SIZE;
  haar_forward<<<count, n / 2, n * sizeof(float)>>>(device_signals, n);
  return cudaGetLastError() == cudaSuccess ? WAVELET_OK : WAVELET_FAILED;
}
//: file wavelet.h
#ifndef WAVELET_H
#define WAVELET_H
#include <cuda_runtime.h>
enum { WAVELET_OK = 0, WAVELET_BAD_SIZE = 1, WAVELET_FAILED = 2 };
#ifdef __cplusplus
extern "C" {
#endif
/* Transforms `count` signals of `n` floats in place; n is a power of two up to 2048. */
int wavelet_forward(float* device_signals, int count, int n);
#ifdef __cplusplus
}
#endif
#endif
//: file CMakeLists.txt
cmake_minimum_required(VERSION 3.18)
project(wavelet LANGUAGES C CXX CUDA)
add_library(wavelet SHARED haar_wavelet.cu)
