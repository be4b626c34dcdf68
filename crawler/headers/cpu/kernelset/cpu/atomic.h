// Atomics and fences. One thread runs at a time and none is interrupted, so plain reads and writes will do; they are no part of what
// is traced as a race.
// Rule: CUDA C++ Programming Guide, "Atomic Functions".
#pragma once

KS_RUNTIME_BEGIN
namespace kernelset {

#ifdef KERNELSET_TRACE
KS_PART void note_atomic(const volatile void* place, size_t size);
KS_STATE unsigned fenced;  // whether a thread of the block has published what it wrote
KS_D void note_fence() { fenced = 1; }
#define KS_ATOMIC static inline __attribute__((noinline))
#else
KS_D void note_atomic(const volatile void*, size_t) {}
KS_D void note_fence() {}
#define KS_ATOMIC KS_D
#endif

template <class T, class Change>
KS_ATOMIC T atomically(volatile T* place, Change change) {
  T* plain = const_cast<T*>(place);
  note_atomic(plain, sizeof(T));
  T old = *plain;
  *plain = change(old);
  return old;
}

// what CUDA has for newer devices alone, or not at all, much code defines for itself
template <class A, class B>
struct OnlySame {};
template <class T>
struct OnlySame<T, T> {
  using type = int;
};
template <class A, class B>
using Only = typename OnlySame<A, B>::type;

}  // namespace kernelset

KS_D void __threadfence_block() {}
KS_D void __threadfence() { kernelset::note_fence(); }
KS_D void __threadfence_system() { kernelset::note_fence(); }

#define KS_ATOMIC_FORMS(FORM) FORM() FORM(_block) FORM(_system)
// HEAD is empty, or that of a template over P, so that a program's own function of that name is the better match
#define KS_ATOMIC_SUMS(HEAD, P, T, S)                                                                            \
  HEAD KS_D T atomicAdd##S(P *p, T v) { return kernelset::atomically(p, [=](T old) { return static_cast<T>(old + v); }); }    \
  HEAD KS_D T atomicExch##S(P *p, T v) {                                                                         \
    kernelset::try_again();                                                                                      \
    return kernelset::atomically(p, [=](T) { return v; });                                                       \
  }
#define KS_ATOMIC_BOUNDS(HEAD, P, T, S)                                                                          \
  HEAD KS_D T atomicSub##S(P *p, T v) { return kernelset::atomically(p, [=](T old) { return static_cast<T>(old - v); }); }    \
  HEAD KS_D T atomicMin##S(P *p, T v) { return kernelset::atomically(p, [=](T old) { return v < old ? v : old; }); }          \
  HEAD KS_D T atomicMax##S(P *p, T v) { return kernelset::atomically(p, [=](T old) { return old < v ? v : old; }); }
#define KS_ONLY(T) template <class Number, kernelset::Only<Number, T> = 0>
#define KS_ATOMIC_BITS(HEAD, P, T, S)                                                                            \
  HEAD KS_D T atomicAnd##S(P *p, T v) { return kernelset::atomically(p, [=](T old) { return static_cast<T>(old & v); }); }    \
  HEAD KS_D T atomicOr##S(P *p, T v) { return kernelset::atomically(p, [=](T old) { return static_cast<T>(old | v); }); }     \
  HEAD KS_D T atomicXor##S(P *p, T v) { return kernelset::atomically(p, [=](T old) { return static_cast<T>(old ^ v); }); }    \
  HEAD KS_D T atomicCAS##S(P *p, T seen, T v) {                                                                  \
    kernelset::try_again();                                                                                      \
    return kernelset::atomically(p, [=](T old) { return old == seen ? v : old; });                               \
  }
#define KS_ATOMIC_INTEGER(T, S) KS_ATOMIC_SUMS(, T, T, S) KS_ATOMIC_BITS(, T, T, S) KS_ATOMIC_BOUNDS(, T, T, S)
#define KS_ATOMICS(S)                                                                                            \
  KS_ATOMIC_INTEGER(int, S) KS_ATOMIC_INTEGER(unsigned int, S) KS_ATOMIC_INTEGER(unsigned long long, S)          \
  KS_ATOMIC_SUMS(KS_ONLY(unsigned long), Number, unsigned long, S)                                               \
  KS_ATOMIC_BITS(KS_ONLY(unsigned long), Number, unsigned long, S)                                               \
  KS_ATOMIC_BOUNDS(KS_ONLY(unsigned long), Number, unsigned long, S)                                             \
  KS_ATOMIC_SUMS(KS_ONLY(long long), Number, long long, S)                                                       \
  KS_ATOMIC_BITS(KS_ONLY(long long), Number, long long, S) KS_ATOMIC_BOUNDS(, long long, long long, S)           \
  KS_ATOMIC_SUMS(, float, float, S) KS_ATOMIC_BOUNDS(KS_ONLY(float), Number, float, S)                           \
  KS_ATOMIC_SUMS(KS_ONLY(double), Number, double, S) KS_ATOMIC_BOUNDS(KS_ONLY(double), Number, double, S)        \
  KS_D unsigned int atomicInc##S(unsigned int *p, unsigned int v) {                                              \
    return kernelset::atomically(p, [=](unsigned int old) { return old >= v ? 0u : old + 1u; });                 \
  }                                                                                                              \
  KS_D unsigned int atomicDec##S(unsigned int *p, unsigned int v) {                                              \
    return kernelset::atomically(p, [=](unsigned int old) { return old == 0 || old > v ? v : old - 1u; });       \
  }
KS_ATOMIC_FORMS(KS_ATOMICS)
KS_D unsigned short atomicCAS(unsigned short *p, unsigned short seen, unsigned short v) {
  return kernelset::atomically(p, [=](unsigned short old) { return old == seen ? v : old; });
}
#undef KS_ATOMICS
#undef KS_ATOMIC_INTEGER
#undef KS_ATOMIC_BITS
#undef KS_ATOMIC_SUMS
#undef KS_ATOMIC_BOUNDS
#undef KS_ONLY
#undef KS_ATOMIC_FORMS

template <class T>
KS_D T ks_ordered_load(const T *p) {
  kernelset::try_again();
  return kernelset::atomically(const_cast<T *>(p), [](T old) { return old; });
}
template <class T>
KS_D T ks_ordered_load(const volatile T *p) {
  return ks_ordered_load(const_cast<const T *>(p));
}
// the compiler's own, in a loop that waits for another thread
#define __atomic_load_n(place, order) ks_ordered_load(place)
template <class T>
KS_D void ks_ordered_store(T *p, T v) {
  kernelset::note_fence();
  kernelset::atomically(p, [=](T) { return v; });
}
// what the half precision headers build their atomics from
template <class U>
KS_D U ks_cas(U *p, U seen, U v) {
  return kernelset::atomically(p, [=](U old) { return old == seen ? v : old; });
}
KS_D unsigned short ks_cas(unsigned short *p, int seen, int v) {
  return ks_cas(p, static_cast<unsigned short>(seen), static_cast<unsigned short>(v));
}
#define KS_ATOMIC_CAS_LOOP(T, U, EXPRESSION)                                           \
  return kernelset::atomically(address, [=](T old) { return static_cast<T>(EXPRESSION); });
KS_RUNTIME_END
