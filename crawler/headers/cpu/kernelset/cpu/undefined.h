// What no rule of C++ gives a meaning to, by the functions that UndefinedBehaviorSanitizer's instrumentation calls; its
// runtime is not linked, these stand in its place. A thread goes on, since on a GPU it would.
// Rule: llvm-project, compiler-rt/lib/ubsan/ubsan_handlers.h.
#pragma once
#ifdef KERNELSET_SANITISE

KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
namespace kernelset {
struct Site {
  const char* file;
  unsigned line, column;
};
}  // namespace kernelset
#define KS_UBSAN extern "C" KS_HIDDEN __attribute__((used))
#define KS_UBSAN_BINARY(NAME, KIND) \
  KS_UBSAN void __ubsan_handle_##NAME(kernelset::Site* at, void*, void*) { kernelset::find(kernelset::Kind::KIND, at->line); }
KS_UBSAN_BINARY(add_overflow, integer_overflow)
KS_UBSAN_BINARY(sub_overflow, integer_overflow)
KS_UBSAN_BINARY(mul_overflow, integer_overflow)
KS_UBSAN_BINARY(shift_out_of_bounds, shift)
#undef KS_UBSAN_BINARY
KS_UBSAN void __ubsan_handle_negate_overflow(kernelset::Site* at, void*) {
  kernelset::find(kernelset::Kind::integer_overflow, at->line);
}
KS_UBSAN void __ubsan_handle_divrem_overflow(kernelset::Site* at, void*, void* divisor) {
  // a divisor of few bits is passed by value, and only one of all ones overflows
  const bool by_zero = !divisor;
  kernelset::find(by_zero ? kernelset::Kind::divide_by_zero : kernelset::Kind::integer_overflow, at->line);
  if (by_zero) kernelset::end_run();
}
KS_UBSAN void __ubsan_handle_out_of_bounds(kernelset::Site* at, void* index) {
  kernelset::find(kernelset::Kind::array_bounds, at->line, -1, static_cast<long long>(reinterpret_cast<size_t>(index)));
}
KS_UBSAN void __ubsan_handle_float_cast_overflow(kernelset::Site* at, void*) {
  kernelset::find(kernelset::Kind::float_cast, at->line);
}
// misaligned: a GPU refuses it
KS_UBSAN void __ubsan_handle_type_mismatch_v1(kernelset::Site* at, void* place) {
  int buffer = kernelset::buffer_at(static_cast<char*>(place));
  const long long offset = buffer < 0 ? 0 : static_cast<char*>(place) - kernelset::buffer_base(buffer);
  kernelset::find(kernelset::Kind::misaligned, at->line, buffer, offset);
}
// an address that breaks the promise of `__builtin_assume_aligned`
KS_UBSAN void __ubsan_handle_alignment_assumption(kernelset::Site* at, void* place, void*, void*) {
  __ubsan_handle_type_mismatch_v1(at, place);
}
#undef KS_UBSAN
KS_SELDOM_END
KS_RUNTIME_END
#endif
