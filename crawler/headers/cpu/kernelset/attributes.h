// The words of the CUDA dialect for a host compiler: what a device would run becomes plain C++.
// A shared variable is a static one in a section of its own, which is filled anew for each block.
#pragma once

#include <kernelset/allowed.h>
#define KERNELSET_CPU 1

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
// branches for a device are taken, as they are when the unit is compiled for sm_80
#define __CUDA_ARCH__ 800

#if defined(KERNELSET_PROGRAM) && KERNELSET_PART == 1 && !defined(KERNELSET_HOST)
// a program is rewritten between its preprocessing and its compilation: until then these words have to stay
#define __host__ __host__
#define __device__ __device__
#define __global__ __global__
#define __shared__ __shared__
#else
#define __host__
#define __device__
#define __global__
// `used`: nobody may conclude from their absence that there are no writes
#define __shared__ static __attribute__((section("ks_shared"), used))
#endif
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__
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
#define CUB_RUNTIME_FUNCTION

#define KS_HD inline __attribute__((always_inline))
#define KS_D static inline __attribute__((always_inline))
#ifdef KERNELSET_STEPS  // what a barrier does here is no step of a kernel, as it were in its code
#define KS_BARRIER static __attribute__((noinline))
#else
#define KS_BARRIER KS_D
#endif

// What runs a kernel is one source with it, or a part of its own that is compiled once for all units: KERNELSET_PART is
// 1 in a unit and 2 in that part. A unit knows what is there, and compiles none of it.
#ifdef KERNELSET_LIBRARY  // the libraries of a process share that part
#define KS_HIDDEN __attribute__((visibility("default")))
#else
#define KS_HIDDEN __attribute__((visibility("hidden")))
#endif
#ifndef KERNELSET_PART
#define KS_STATE static
#define KS_PART static
#define KS_CALLS inline
#elif KERNELSET_PART == 1
#define KS_STATE inline KS_HIDDEN
#define KS_PART extern inline KS_HIDDEN __attribute__((gnu_inline, noinline))
// the same of what has been declared before, as members are
#define KS_CALLS inline KS_HIDDEN __attribute__((gnu_inline, noinline))
#else
#define KS_STATE inline KS_HIDDEN
#define KS_PART KS_HIDDEN
#define KS_CALLS KS_HIDDEN
#endif

// what is ours is never traced: only the project's own reads and writes are
#if defined(__clang__)
#define KS_RUNTIME_BEGIN \
  _Pragma("clang attribute push (__attribute__((no_sanitize(\"thread\", \"address\", \"undefined\", \"coverage\"))), apply_to = function)")
#define KS_RUNTIME_END _Pragma("clang attribute pop")
// what is seldom called is not worth a compiler's time: more than half of it went into what only begins and ends a run
#define KS_SELDOM_BEGIN \
  _Pragma("clang attribute push (__attribute__((optnone)), apply_to = function)") \
  _Pragma("clang attribute push (__attribute__((noinline)), apply_to = function)")
#define KS_SELDOM_END _Pragma("clang attribute pop") _Pragma("clang attribute pop")
#else
#define KS_RUNTIME_BEGIN
#define KS_RUNTIME_END
#define KS_SELDOM_BEGIN
#define KS_SELDOM_END
#endif
