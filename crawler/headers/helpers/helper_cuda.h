// Checks of calls and choices of a device, as programs in the manner of CUDA's samples make them.
// Rule: the interface of "helper_cuda.h" in CUDA's samples, which many projects use and do not bring.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <helper_string.h>

#ifndef MAX
#define MAX(a, b) (a > b ? a : b)
#endif

inline const char *_cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

template <typename T>
void check(T result, char const *const call, const char *const file, int const line) {
  if (!static_cast<unsigned int>(result)) return;
  fprintf(stderr, "CUDA error at %s:%d code=%u \"%s\"\n", file, line, static_cast<unsigned int>(result), call);
  exit(EXIT_FAILURE);
}
#define checkCudaErrors(val) check((val), #val, __FILE__, __LINE__)

inline void __getLastCudaError(const char *message, const char *file, const int line) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, static_cast<int>(error),
          cudaGetErrorString(error));
  exit(EXIT_FAILURE);
}
#define getLastCudaError(msg) __getLastCudaError(msg, __FILE__, __LINE__)
inline void __printLastCudaError(const char *message, const char *file, const int line) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, static_cast<int>(error),
          cudaGetErrorString(error));
}
#define printLastCudaError(msg) __printLastCudaError(msg, __FILE__, __LINE__)

inline int ftoi(float value) { return value >= 0 ? static_cast<int>(value + 0.5) : static_cast<int>(value - 0.5); }
// those of compute capability 8.0, which the model says to have
inline int _ConvertSMVer2Cores(int, int) { return 64; }
inline const char *_ConvertSMVer2ArchName(int, int) { return "Ampere"; }

inline int gpuDeviceInit(int device) {
  checkCudaErrors(cudaSetDevice(device));
  return device;
}
inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int findCudaDevice(int count, const char **words) {
  const int device = checkCmdLineFlag(count, words, "device") ? getCmdLineArgumentInt(count, words, "device") : 0;
  return gpuDeviceInit(device);
}
inline bool checkCudaCapabilities(int major, int minor) {
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDeviceProperties(&properties, 0));
  return properties.major > major || (properties.major == major && properties.minor >= minor);
}
