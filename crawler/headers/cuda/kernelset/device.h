// Device functions. Math and intrinsics are clang's own device headers, as its CUDA wrapper includes them;
// what those leave to NVIDIA's headers (atomics, cached loads, votes) follows here.
// Rule: CUDA C++ Programming Guide, "C++ Language Extensions".
#pragma once
#include <kernelset/attributes.h>
#include <kernelset/vectors.h>

#include <kernelset/standard.h>

#include <stdlib.h>
#include <new>
#include <exception>
#include <typeinfo>

#include <__clang_cuda_math_forward_declares.h>
#include <__clang_cuda_builtin_vars.h>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cassert>
#include <cfloat>
#include <climits>
#include <limits>
#include <type_traits>
#include <utility>
#include <math.h>
#include <string.h>

__device__ inline __cuda_builtin_threadIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_threadIdx_t::operator uint3() const { return uint3{x, y, z}; }
__device__ inline __cuda_builtin_blockIdx_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockIdx_t::operator uint3() const { return uint3{x, y, z}; }
__device__ inline __cuda_builtin_blockDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_blockDim_t::operator uint3() const { return uint3{x, y, z}; }
__device__ inline __cuda_builtin_gridDim_t::operator dim3() const { return dim3(x, y, z); }
__device__ inline __cuda_builtin_gridDim_t::operator uint3() const { return uint3{x, y, z}; }

#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 9999
#endif
#include <__clang_cuda_libdevice_declares.h>
#if __clang_major__ < 19
__device__ unsigned int __nvvm_activemask();
#endif
// CUDA 7 to 8 exchanged values between the lanes that were there, without a mask; Volta and later have no such
// instruction, and take the mask of those lanes instead.
#if __CUDA_ARCH__ >= 700
#define __nvvm_vote_all(p) __nvvm_vote_all_sync(__nvvm_activemask(), p)
#define __nvvm_vote_any(p) __nvvm_vote_any_sync(__nvvm_activemask(), p)
#define __nvvm_vote_ballot(p) __nvvm_vote_ballot_sync(__nvvm_activemask(), p)
#define __nvvm_shfl_idx_i32(v, lane, mask) __nvvm_shfl_sync_idx_i32(__nvvm_activemask(), v, lane, mask)
#define __nvvm_shfl_idx_f32(v, lane, mask) __nvvm_shfl_sync_idx_f32(__nvvm_activemask(), v, lane, mask)
#define __nvvm_shfl_up_i32(v, by, mask) __nvvm_shfl_sync_up_i32(__nvvm_activemask(), v, by, mask)
#define __nvvm_shfl_up_f32(v, by, mask) __nvvm_shfl_sync_up_f32(__nvvm_activemask(), v, by, mask)
#define __nvvm_shfl_down_i32(v, by, mask) __nvvm_shfl_sync_down_i32(__nvvm_activemask(), v, by, mask)
#define __nvvm_shfl_down_f32(v, by, mask) __nvvm_shfl_sync_down_f32(__nvvm_activemask(), v, by, mask)
#define __nvvm_shfl_bfly_i32(v, by, mask) __nvvm_shfl_sync_bfly_i32(__nvvm_activemask(), v, by, mask)
#define __nvvm_shfl_bfly_f32(v, by, mask) __nvvm_shfl_sync_bfly_f32(__nvvm_activemask(), v, by, mask)
#endif
#define __nvvm_memcpy(s, d, n, a) __builtin_memcpy(s, d, n)
#define __nvvm_memset(d, c, n, a) __builtin_memset(d, c, n)
#include <__clang_cuda_device_functions.h>
#include <__clang_cuda_math.h>
#include <__clang_cuda_cmath.h>
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
KS_D bool __isShared(const void *p) { return __nvvm_isspacep_shared(p); }
KS_D size_t __cvta_generic_to_shared(const void *p) { return (size_t)(__attribute__((address_space(3))) const void *)p; }
#include <__clang_cuda_intrinsics.h>
#include <__clang_cuda_complex_builtins.h>
#include <kernelset/math.h>
#pragma pop_macro("__CUDA_ARCH__")

extern "C" {
__device__ int vprintf(const char *, const char *);
__device__ void free(void *) __attribute((nothrow));
__device__ void *malloc(size_t) __attribute((nothrow)) __attribute__((malloc));
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function, size_t size);
__device__ static inline void __assert_fail(const char *message, const char *file, unsigned line, const char *function) {
  __assertfail(message, file, line, function, sizeof(char));
}
__device__ int printf(const char *, ...);
}
namespace kernelset {
static __device__ inline unsigned int lane_id() { return __nvvm_read_ptx_sreg_laneid(); }
static __device__ inline unsigned int active_mask() { return __nvvm_activemask(); }
}  // namespace kernelset
namespace std {  // <cstring> took these names before their device overloads were there
using ::memcpy;
using ::memset;
using ::malloc;
using ::free;
using ::printf;
}  // namespace std

#include <kernelset/minmax.h>

// atomics
#define KS_ATOMIC_CAS_LOOP(T, U, EXPRESSION)                                                              \
  U *bits = (U *)address, seen = *bits, assumed;                                                          \
  do {                                                                                                    \
    assumed = seen;                                                                                       \
    T old = __builtin_bit_cast(T, assumed);                                                               \
    T fresh = EXPRESSION;                                                                                 \
    seen = ks_cas(bits, assumed, __builtin_bit_cast(U, fresh));                                           \
  } while (seen != assumed);                                                                              \
  return __builtin_bit_cast(T, seen);
KS_D unsigned int ks_cas(unsigned int *p, unsigned int compare, unsigned int value) {
  return (unsigned int)__nvvm_atom_cas_gen_i((int *)p, (int)compare, (int)value);
}
KS_D unsigned long long ks_cas(unsigned long long *p, unsigned long long compare, unsigned long long value) {
  return (unsigned long long)__nvvm_atom_cas_gen_ll((long long *)p, (long long)compare, (long long)value);
}
KS_D unsigned short ks_cas(unsigned short *p, unsigned short compare, unsigned short value) {
  unsigned int *word = (unsigned int *)((unsigned long long)p & ~3ull);
  const unsigned int shift = ((unsigned long long)p & 2) * 8;
  unsigned int seen = *word, assumed;
  do {
    assumed = seen;
    if ((unsigned short)(assumed >> shift) != compare) break;
    seen = ks_cas(word, assumed, (assumed & ~(0xffffu << shift)) | ((unsigned int)value << shift));
  } while (seen != assumed);
  return (unsigned short)(seen >> shift);
}
// what CUDA has for newer devices alone, or not at all, much code defines for itself, which then is the better match:
// here that is a template over P
template <typename T, typename U>
struct ks_only {};
template <typename T>
struct ks_only<T, T> {
  typedef int type;
};
#define KS_ONLY(T) template <typename P, typename ks_only<P, T>::type = 0>
#define KS_ATOMIC_INTEGER(HEAD, P, T, W, SUFFIX)                                                                               \
  HEAD KS_D T atomicAdd##SUFFIX(P *p, T v) { return (T)__nvvm_atom_add_gen_##W((ks_##W *)p, (ks_##W)v); }                      \
  HEAD KS_D T atomicExch##SUFFIX(P *p, T v) { return (T)__nvvm_atom_xchg_gen_##W((ks_##W *)p, (ks_##W)v); }                    \
  HEAD KS_D T atomicAnd##SUFFIX(P *p, T v) { return (T)__nvvm_atom_and_gen_##W((ks_##W *)p, (ks_##W)v); }                      \
  HEAD KS_D T atomicOr##SUFFIX(P *p, T v) { return (T)__nvvm_atom_or_gen_##W((ks_##W *)p, (ks_##W)v); }                        \
  HEAD KS_D T atomicXor##SUFFIX(P *p, T v) { return (T)__nvvm_atom_xor_gen_##W((ks_##W *)p, (ks_##W)v); }                      \
  HEAD KS_D T atomicCAS##SUFFIX(P *p, T c, T v) { return (T)__nvvm_atom_cas_gen_##W((ks_##W *)p, (ks_##W)c, (ks_##W)v); }
typedef int ks_i;
typedef long long ks_ll;
#define KS_ATOMICS(SUFFIX)                                                                                            \
  KS_ATOMIC_INTEGER(, int, int, i, SUFFIX)                                                                            \
  KS_ATOMIC_INTEGER(, unsigned int, unsigned int, i, SUFFIX)                                                          \
  KS_ATOMIC_INTEGER(KS_ONLY(long long), P, long long, ll, SUFFIX)                                                     \
  KS_ATOMIC_INTEGER(, unsigned long long, unsigned long long, ll, SUFFIX)                                             \
  KS_ATOMIC_INTEGER(KS_ONLY(unsigned long), P, unsigned long, ll, SUFFIX)                                             \
  KS_D int atomicSub##SUFFIX(int *p, int v) { return __nvvm_atom_add_gen_i(p, -v); }                                  \
  KS_D unsigned int atomicSub##SUFFIX(unsigned int *p, unsigned int v) {                                              \
    return (unsigned int)__nvvm_atom_add_gen_i((int *)p, -(int)v);                                                    \
  }                                                                                                                   \
  KS_D int atomicMin##SUFFIX(int *p, int v) { return __nvvm_atom_min_gen_i(p, v); }                                   \
  KS_D int atomicMax##SUFFIX(int *p, int v) { return __nvvm_atom_max_gen_i(p, v); }                                   \
  KS_D unsigned int atomicMin##SUFFIX(unsigned int *p, unsigned int v) { return __nvvm_atom_min_gen_ui(p, v); }       \
  KS_D unsigned int atomicMax##SUFFIX(unsigned int *p, unsigned int v) { return __nvvm_atom_max_gen_ui(p, v); }       \
  KS_D unsigned int atomicInc##SUFFIX(unsigned int *p, unsigned int v) { return __nvvm_atom_inc_gen_ui(p, v); }       \
  KS_D unsigned int atomicDec##SUFFIX(unsigned int *p, unsigned int v) { return __nvvm_atom_dec_gen_ui(p, v); }       \
  KS_D long long atomicMin##SUFFIX(long long *p, long long v) { return __nvvm_atom_min_gen_ll(p, v); }                \
  KS_D long long atomicMax##SUFFIX(long long *p, long long v) { return __nvvm_atom_max_gen_ll(p, v); }                \
  KS_D unsigned long long atomicMin##SUFFIX(unsigned long long *p, unsigned long long v) {                            \
    return __nvvm_atom_min_gen_ull(p, v);                                                                             \
  }                                                                                                                   \
  KS_D unsigned long long atomicMax##SUFFIX(unsigned long long *p, unsigned long long v) {                            \
    return __nvvm_atom_max_gen_ull(p, v);                                                                             \
  }                                                                                                                   \
  KS_D float atomicAdd##SUFFIX(float *p, float v) { return __nvvm_atom_add_gen_f(p, v); }                             \
  KS_ONLY(double)                                                                                                     \
  KS_D double atomicAdd##SUFFIX(P *address, double v) {                                                               \
    KS_ATOMIC_CAS_LOOP(double, unsigned long long, old + v)                                                           \
  }                                                                                                                   \
  KS_D float atomicExch##SUFFIX(float *p, float v) {                                                                  \
    return __builtin_bit_cast(float, __nvvm_atom_xchg_gen_i((int *)p, __builtin_bit_cast(int, v)));                   \
  }
KS_ATOMICS()
KS_ATOMICS(_block)
KS_ATOMICS(_system)
KS_D unsigned short atomicCAS(unsigned short *p, unsigned short c, unsigned short v) { return ks_cas(p, c, v); }
KS_D unsigned short int atomicCAS(unsigned short int *p, int c, int v) {
  return ks_cas(p, (unsigned short)c, (unsigned short)v);
}

// loads and stores that say how to cache
#define KS_CACHED(NAME)                                       \
  template <typename T> KS_D T NAME(const T *p) { return *p; }
KS_CACHED(__ldca)
KS_CACHED(__ldcg)
KS_CACHED(__ldcs)
KS_CACHED(__ldcv)
KS_CACHED(__ldlu)
#undef KS_CACHED
template <typename T> KS_D void __stcg(T *p, T v) { *p = v; }
template <typename T> KS_D void __stcs(T *p, T v) { *p = v; }
template <typename T> KS_D void __stwb(T *p, T v) { *p = v; }
template <typename T> KS_D void __stwt(T *p, T v) { *p = v; }

// products of four bytes, or of two halves and two bytes, added up
#define KS_DOT(NAME, T, U, PTX)                                              \
  KS_D T NAME(U a, U b, T c) {                                               \
    T d;                                                                     \
    asm(PTX " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));          \
    return d;                                                                \
  }
KS_DOT(__dp4a, int, int, "dp4a.s32.s32")
KS_DOT(__dp4a, unsigned int, unsigned int, "dp4a.u32.u32")
KS_DOT(__dp2a_lo, int, int, "dp2a.lo.s32.s32")
KS_DOT(__dp2a_lo, unsigned int, unsigned int, "dp2a.lo.u32.u32")
KS_DOT(__dp2a_hi, int, int, "dp2a.hi.s32.s32")
KS_DOT(__dp2a_hi, unsigned int, unsigned int, "dp2a.hi.u32.u32")
#undef KS_DOT
#define KS_PACKED_DOT(NAME, T, U, A, B)                                      \
  KS_D T NAME(A a, B b, T c) {                                               \
    U x, y;                                                                  \
    __builtin_memcpy(&x, &a, sizeof(x));                                     \
    __builtin_memcpy(&y, &b, sizeof(y));                                     \
    return NAME(x, y, c);                                                    \
  }
KS_PACKED_DOT(__dp4a, int, int, char4, char4)
KS_PACKED_DOT(__dp4a, unsigned int, unsigned int, uchar4, uchar4)
KS_PACKED_DOT(__dp2a_lo, int, int, short2, char4)
KS_PACKED_DOT(__dp2a_lo, unsigned int, unsigned int, ushort2, uchar4)
KS_PACKED_DOT(__dp2a_hi, int, int, short2, char4)
KS_PACKED_DOT(__dp2a_hi, unsigned int, unsigned int, ushort2, uchar4)
#undef KS_PACKED_DOT
KS_D void __nanosleep(unsigned int) {}
KS_D bool __isGlobal(const void *p) { return __nvvm_isspacep_global(p); }
KS_D bool __isConstant(const void *p) { return __nvvm_isspacep_const(p); }
KS_D bool __isLocal(const void *p) { return __nvvm_isspacep_local(p); }
KS_D bool __isGridConstant(const void *p) {
  int is_inside;
  asm("{ .reg .pred p; isspacep.param p, %1; selp.s32 %0, 1, 0, p; }" : "=r"(is_inside) : "l"(p));
  return is_inside;
}
KS_D size_t __cvta_generic_to_global(const void *p) { return (size_t)p; }
KS_D void *__cvta_shared_to_generic(size_t p) { return (void *)(__attribute__((address_space(3))) void *)p; }
KS_D void *__cvta_global_to_generic(size_t p) { return (void *)p; }
static __host__ inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
static __host__ inline double rsqrt(double x) { return 1.0 / ::sqrt(x); }
static KS_HD float rsqrt(float x) { return rsqrtf(x); }

// clusters and programmatic dependent launch, which devices from 9.0 on have: before, a cluster is one block
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
KS_D void __cluster_barrier_arrive() {}
KS_D void __cluster_barrier_arrive_relaxed() {}
KS_D void __cluster_barrier_wait() { __syncthreads(); }
#endif
static __device__ inline void cudaGridDependencySynchronize() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
static __device__ inline void cudaTriggerProgrammaticLaunchCompletion() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
