// The words of the CUDA dialect, before anything else is included.
#pragma once

#include <kernelset/allowed.h>

#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 9
#define __CUDACC_VER_BUILD__ 0
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1
#define CUDART_VERSION 12090
#define CUDA_VERSION 12090

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __device__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __device_builtin__
#define __cudart_builtin__
#define __grid_constant__
#define __cluster_dims__(...)
#define __maxnreg__(n)
#define __block_size__(...)
#define __nv_pure__
#define __thread__ __thread
#define CUDARTAPI
#define CUDART_CB
#define CUDAAPI
#define CUB_RUNTIME_FUNCTION __host__ __device__

// what a shim declares for both sides
#define KS_HD __host__ __device__ __forceinline__
#define KS_D static __device__ __forceinline__
