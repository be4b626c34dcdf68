// What libstdc++'s containers call when they refuse an argument, for device code: a trap.
// It must stand before the containers, which bind these names where they are defined.
#ifndef KERNELSET_STANDARD_H
#define KERNELSET_STANDARD_H
#if __has_include(<bits/functexcept.h>)
#include <bits/functexcept.h>

namespace std {
#define KERNELSET_REFUSAL(name) \
  __attribute__((device, noreturn)) inline void name(const char*) { __builtin_trap(); }
KERNELSET_REFUSAL(__throw_logic_error)
KERNELSET_REFUSAL(__throw_domain_error)
KERNELSET_REFUSAL(__throw_invalid_argument)
KERNELSET_REFUSAL(__throw_length_error)
KERNELSET_REFUSAL(__throw_out_of_range)
KERNELSET_REFUSAL(__throw_runtime_error)
KERNELSET_REFUSAL(__throw_range_error)
KERNELSET_REFUSAL(__throw_overflow_error)
KERNELSET_REFUSAL(__throw_underflow_error)
#undef KERNELSET_REFUSAL
template <class... Arguments>
__attribute__((device, noreturn)) inline void __throw_out_of_range_fmt(const char*, Arguments...) {
  __builtin_trap();
}
}  // namespace std
#endif
#endif
