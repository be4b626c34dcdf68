// The compiler's own atomics (`__atomic_fetch_add`, those of <atomic> and <cuda/atomic>) as ThreadSanitizer's
// instrumentation calls them.
// Rule: LLVM, compiler-rt/include/sanitizer/tsan_interface_atomic.h.
#pragma once

#ifdef KERNELSET_TRACE
KS_RUNTIME_BEGIN
namespace kernelset {
template <class T, class Change>
static T atomically_traced(const volatile T* place, Change change) {
  note_atomic(place, sizeof(T));
  T* plain = const_cast<T*>(place);
  const T old = *plain;
  *plain = change(old);
  return old;
}
}  // namespace kernelset

#define KS_TSAN_CHANGE(N, T, NAME, EXPRESSION)                                                     \
  KS_TSAN T __tsan_atomic##N##_##NAME(volatile T* p, T v, int) {                                   \
    return kernelset::atomically_traced(p, [=](T old) { (void)old; return static_cast<T>(EXPRESSION); }); \
  }
#define KS_TSAN_SWAP(N, T, NAME)                                                                   \
  KS_TSAN int __tsan_atomic##N##_compare_exchange_##NAME(volatile T* p, T* seen, T v, int, int) {  \
    const T wanted = *seen;                                                                        \
    *seen = kernelset::atomically_traced(p, [=](T old) { return old == wanted ? v : old; });       \
    return *seen == wanted;                                                                        \
  }
#define KS_TSAN_ATOMIC(N, T)                                                                       \
  KS_TSAN T __tsan_atomic##N##_load(const volatile T* p, int) {                                    \
    return kernelset::atomically_traced(p, [](T old) { return old; });                             \
  }                                                                                                \
  KS_TSAN void __tsan_atomic##N##_store(volatile T* p, T v, int) {                                 \
    kernelset::atomically_traced(p, [=](T) { return v; });                                         \
  }                                                                                                \
  KS_TSAN_CHANGE(N, T, exchange, v)                                                                \
  KS_TSAN_CHANGE(N, T, fetch_add, old + v)                                                         \
  KS_TSAN_CHANGE(N, T, fetch_sub, old - v)                                                         \
  KS_TSAN_CHANGE(N, T, fetch_and, old & v)                                                         \
  KS_TSAN_CHANGE(N, T, fetch_or, old | v)                                                          \
  KS_TSAN_CHANGE(N, T, fetch_xor, old ^ v)                                                         \
  KS_TSAN_CHANGE(N, T, fetch_nand, ~(old & v))                                                     \
  KS_TSAN_SWAP(N, T, strong)                                                                       \
  KS_TSAN_SWAP(N, T, weak)                                                                         \
  KS_TSAN T __tsan_atomic##N##_compare_exchange_val(volatile T* p, T seen, T v, int, int) {        \
    return kernelset::atomically_traced(p, [=](T old) { return old == seen ? v : old; });          \
  }
KS_TSAN_ATOMIC(8, unsigned char)
KS_TSAN_ATOMIC(16, unsigned short)
KS_TSAN_ATOMIC(32, unsigned)
KS_TSAN_ATOMIC(64, unsigned long long)
#undef KS_TSAN_ATOMIC
#undef KS_TSAN_SWAP
#undef KS_TSAN_CHANGE
KS_TSAN void __tsan_atomic_thread_fence(int) { kernelset::note_fence(); }
KS_TSAN void __tsan_atomic_signal_fence(int) {}
KS_RUNTIME_END
#endif
