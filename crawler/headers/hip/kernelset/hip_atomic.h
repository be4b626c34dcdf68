// Atomics on types that HIP's own lack, and the forms with a scope.
#ifndef KERNELSET_HIP_ATOMIC_H
#define KERNELSET_HIP_ATOMIC_H

namespace kernelset {

// replaces a value of 2, 4 or 8 bytes by what `next` makes of it, and returns the old one
template <class T, class Next>
__device__ inline T atomic_update(T* address, Next next) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a word or two");
  using Word = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  Word* word = reinterpret_cast<Word*>(address);
  Word seen = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  T old;
  while (true) {
    __builtin_memcpy(&old, &seen, sizeof(T));
    T updated = next(old);
    Word wanted;
    __builtin_memcpy(&wanted, &updated, sizeof(T));
    Word before = atomicCAS(word, seen, wanted);
    if (before == seen) return old;
    seen = before;
  }
}

// the same for two bytes, within the word that holds them
template <class T, class Next>
__device__ inline T atomic_update_half_word(T* address, Next next) {
  static_assert(sizeof(T) == 2, "half a word");
  auto place = reinterpret_cast<size_t>(address);
  unsigned* word = reinterpret_cast<unsigned*>(place & ~size_t(3));
  int shift = place & 2 ? 16 : 0;
  unsigned before = atomic_update(word, [=](unsigned seen) {
    unsigned short part = static_cast<unsigned short>(seen >> shift);
    T old;
    __builtin_memcpy(&old, &part, sizeof(T));
    T updated = next(old);
    __builtin_memcpy(&part, &updated, sizeof(T));
    return (seen & ~(0xffffu << shift)) | (static_cast<unsigned>(part) << shift);
  });
  unsigned short part = static_cast<unsigned short>(before >> shift);
  T old;
  __builtin_memcpy(&old, &part, sizeof(T));
  return old;
}

}  // namespace kernelset

__device__ inline unsigned atomicInc(unsigned* address, unsigned limit) {
  return __builtin_amdgcn_atomic_inc32(address, limit, __ATOMIC_RELAXED, "agent");
}
__device__ inline unsigned atomicDec(unsigned* address, unsigned limit) {
  return __builtin_amdgcn_atomic_dec32(address, limit, __ATOMIC_RELAXED, "agent");
}

KERNELSET_FILL __half atomicAdd(__half* address, __half value) {
  return kernelset::atomic_update_half_word(address, [=](__half old) { return __hadd(old, value); });
}
KERNELSET_FILL __half2 atomicAdd(__half2* address, __half2 value) {
  return kernelset::atomic_update(address, [=](__half2 old) { return __hadd2(old, value); });
}
KERNELSET_FILL __hip_bfloat16 atomicAdd(__hip_bfloat16* address, __hip_bfloat16 value) {
  return kernelset::atomic_update_half_word(address, [=](__hip_bfloat16 old) { return __hadd(old, value); });
}
KERNELSET_FILL __hip_bfloat162 atomicAdd(__hip_bfloat162* address, __hip_bfloat162 value) {
  return kernelset::atomic_update(address, [=](__hip_bfloat162 old) { return __hadd2(old, value); });
}
// a CAS keeps NaN semantics of a comparison: what is not greater stays
#define KERNELSET_FLOAT_EXTREMES(type)                                                                     \
  KERNELSET_FILL type atomicMin(type* address, type value) {                                               \
    return kernelset::atomic_update(address, [=](type old) { return value < old ? value : old; });         \
  }                                                                                                        \
  KERNELSET_FILL type atomicMax(type* address, type value) {                                               \
    return kernelset::atomic_update(address, [=](type old) { return value > old ? value : old; });         \
  }
KERNELSET_FLOAT_EXTREMES(float)
KERNELSET_FLOAT_EXTREMES(double)
#undef KERNELSET_FLOAT_EXTREMES
KERNELSET_FILL long long atomicMin(long long* address, long long value) {
  return kernelset::atomic_update(address, [=](long long old) { return old < value ? old : value; });
}
KERNELSET_FILL long long atomicMax(long long* address, long long value) {
  return kernelset::atomic_update(address, [=](long long old) { return old > value ? old : value; });
}
KERNELSET_FILL long long atomicAnd(long long* address, long long value) {
  return kernelset::atomic_update(address, [=](long long old) { return old & value; });
}
KERNELSET_FILL long long atomicOr(long long* address, long long value) {
  return kernelset::atomic_update(address, [=](long long old) { return old | value; });
}
KERNELSET_FILL unsigned short atomicCAS(unsigned short* address, unsigned short compare, unsigned short value) {
  return kernelset::atomic_update_half_word(
      address, [=](unsigned short old) { return old == compare ? value : old; });
}

// device scope serves for a block too
#define KERNELSET_BLOCK_ATOMIC(name)                                               \
  template <class T, class Value>                                                  \
  __device__ inline T name##_block(T* address, Value value) {                      \
    return name(address, static_cast<T>(value));                                   \
  }
KERNELSET_BLOCK_ATOMIC(atomicAdd)
KERNELSET_BLOCK_ATOMIC(atomicSub)
KERNELSET_BLOCK_ATOMIC(atomicExch)
KERNELSET_BLOCK_ATOMIC(atomicMin)
KERNELSET_BLOCK_ATOMIC(atomicMax)
KERNELSET_BLOCK_ATOMIC(atomicAnd)
KERNELSET_BLOCK_ATOMIC(atomicOr)
KERNELSET_BLOCK_ATOMIC(atomicXor)
#undef KERNELSET_BLOCK_ATOMIC
template <class T, class Compare, class Value>
__device__ inline T atomicCAS_block(T* address, Compare compare, Value value) {
  return atomicCAS(address, static_cast<T>(compare), static_cast<T>(value));
}

#include <kernelset/nv_atomic.h>

#endif
