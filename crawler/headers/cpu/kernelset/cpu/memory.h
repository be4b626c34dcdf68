// Loads and stores that say how to cache, address spaces, clocks, and how a thread ends by itself.
#pragma once
#include <time.h>

KS_RUNTIME_BEGIN
#define KS_CACHED(NAME)            \
  template <class T>               \
  KS_D T NAME(const T *p) {        \
    return *p;                     \
  }
KS_CACHED(__ldg) KS_CACHED(__ldca) KS_CACHED(__ldcg) KS_CACHED(__ldcs) KS_CACHED(__ldcv) KS_CACHED(__ldlu)
#undef KS_CACHED
#define KS_CACHED(NAME)            \
  template <class T>               \
  KS_D void NAME(T *p, T v) {      \
    *p = v;                        \
  }
KS_CACHED(__stcg) KS_CACHED(__stcs) KS_CACHED(__stwb) KS_CACHED(__stwt)
#undef KS_CACHED

extern char __start_ks_shared[] __attribute__((weak, visibility("hidden")));
extern char __stop_ks_shared[] __attribute__((weak, visibility("hidden")));
namespace kernelset {
#ifdef KERNELSET_LIBRARY
// the static shared variables of the library whose kernel runs
KS_STATE char *statics_begin, *statics_end;
#else
static char *const statics_begin = __start_ks_shared, *const statics_end = __stop_ks_shared;
#endif
KS_STATE char *dynamic_shared;
KS_STATE size_t dynamic_bytes;
KS_HD bool is_shared(const void *p) {
  const char *place = static_cast<const char *>(p);
  return (place >= statics_begin && place < statics_end) ||
         (place >= dynamic_shared && place < dynamic_shared + dynamic_bytes);
}
// an address in shared memory as the number of 32 bits that assembly knows it by
constexpr unsigned first_static = 1 << 12, first_dynamic = 1 << 30;
KS_HD unsigned shared_number(const void *p) {
  const char *place = static_cast<const char *>(p);
  const bool is_static = place >= statics_begin && place < statics_end;
  return static_cast<unsigned>(is_static ? place - statics_begin + first_static : place - dynamic_shared + first_dynamic);
}
KS_HD void *shared_at(unsigned number) {
  return number < first_dynamic / 2 ? statics_begin + (int(number) - int(first_static))
                                    : dynamic_shared + (static_cast<long long>(number) - first_dynamic);
}
// what `extern __shared__ T name[]` is bound to: it takes the type that is asked for
template <class T>
using Open = T[];
struct Dynamic {
  template <class T>
  KS_HD operator Open<T> &() const {
    return *reinterpret_cast<Open<T> *>(dynamic_shared);
  }
};
}  // namespace kernelset
KS_D bool __isShared(const void *p) { return kernelset::is_shared(p); }
KS_D bool __isGlobal(const void *p) { return !kernelset::is_shared(p); }
KS_D size_t __cvta_generic_to_shared(const void *p) { return kernelset::shared_number(p); }
KS_D void *__cvta_shared_to_generic(size_t number) { return kernelset::shared_at(static_cast<unsigned>(number)); }
KS_D size_t __cvta_generic_to_global(const void *p) { return reinterpret_cast<size_t>(p); }

KS_D long long clock64() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000ll + now.tv_nsec;
}
KS_D unsigned long long __globaltimer() { return static_cast<unsigned long long>(clock64()); }
KS_D void __nanosleep(unsigned int) { kernelset::give_way(); }
[[noreturn]] static inline void __trap(unsigned line = __builtin_LINE()) {
  kernelset::find_and_end(kernelset::Kind::trap, line);
}
static inline void __brkpt() {}
extern "C" inline void __assert_fail(const char *, const char *, unsigned line, const char *) noexcept {
  kernelset::find_and_end(kernelset::Kind::assertion, line);
}
KS_RUNTIME_END

#ifdef KERNELSET_TRACE
// more than 16 bytes at once, as of a vector, would become an access that the instrumentation knows no call for
extern "C" void *__tsan_memcpy(void *, const void *, size_t);
namespace kernelset {
__attribute__((always_inline)) constexpr void *copied(void *to, const void *from, size_t size) {
  if (__builtin_is_constant_evaluated() || (__builtin_constant_p(size) && size <= 16)) {
    return __builtin_memcpy(to, from, size);
  }
  return __tsan_memcpy(to, from, size);
}
}  // namespace kernelset
#define __builtin_memcpy(...) kernelset::copied(__VA_ARGS__)
#endif
