// Asked for by clang's __clang_cuda_intrinsics.h: the typed faces of match and the narrow compare-and-swap.
#pragma once
#define KS_MATCH(T, BITS, U)                                                                                           \
  static inline __device__ unsigned int __match_any_sync(unsigned int mask, T value) {                                 \
    return __match##BITS##_any_sync(mask, __builtin_bit_cast(U, value));                                               \
  }                                                                                                                    \
  static inline __device__ unsigned int __match_all_sync(unsigned int mask, T value, int *predicate) {                 \
    return __match##BITS##_all_sync(mask, __builtin_bit_cast(U, value), predicate);                                    \
  }
KS_MATCH(int, 32, unsigned int)
KS_MATCH(unsigned int, 32, unsigned int)
KS_MATCH(float, 32, unsigned int)
KS_MATCH(long, 64, unsigned long long)
KS_MATCH(unsigned long, 64, unsigned long long)
KS_MATCH(long long, 64, unsigned long long)
KS_MATCH(unsigned long long, 64, unsigned long long)
KS_MATCH(double, 64, unsigned long long)
#undef KS_MATCH
