// The builtins of AMD's devices on a CPU: those below do what the device does, all others end the run of whoever calls
// them, so that a unit compiles that only names them.
// Rule: clang's BuiltinsAMDGPU.def; "RDNA3 Instruction Set Architecture", DPP controls and WMMA layouts.
#pragma once

// one that is defined here: what the list of all says of it is left out
#define KS_AMD_SECOND(first, second, ...) second
#define KS_AMD_OWNED(...) KS_AMD_SECOND(__VA_ARGS__, 0, )
#define KS_AMD_STUB_1(type, name, ...)
#define KS_AMD_STUB_0(type, name, ...)                                                 \
  static inline type __builtin_amdgcn_##name(__VA_ARGS__) noexcept {                   \
    ::kernelset::find_and_end(::kernelset::Kind::unsupported);                         \
  }
#define KS_AMD_CHOSEN(owned, ...) KS_AMD_STUB_##owned(__VA_ARGS__)
#define KS_AMD_CHOOSE(owned, ...) KS_AMD_CHOSEN(owned, __VA_ARGS__)
#define KS_AMD(type, name, ...) KS_AMD_CHOOSE(KS_AMD_OWNED(KS_OWN_##name), type, name, __VA_ARGS__)

#define KS_OWN_alignbit ~, 1
#define KS_OWN_alignbyte ~, 1
#define KS_OWN_ballot_w32 ~, 1
#define KS_OWN_ballot_w64 ~, 1
#define KS_OWN_cvt_pkrtz ~, 1
#define KS_OWN_ds_bpermute ~, 1
#define KS_OWN_exp2f ~, 1
#define KS_OWN_fdot2 ~, 1
#define KS_OWN_fence ~, 1
#define KS_OWN_fmed3f ~, 1
#define KS_OWN_fractf ~, 1
#define KS_OWN_iglp_opt ~, 1
#define KS_OWN_ldexp ~, 1
#define KS_OWN_ldexpf ~, 1
#define KS_OWN_logf ~, 1
#define KS_OWN_mbcnt_hi ~, 1
#define KS_OWN_mbcnt_lo ~, 1
#define KS_OWN_mfma_f32_16x16x16bf16_1k ~, 1
#define KS_OWN_mfma_f32_16x16x16f16 ~, 1
#define KS_OWN_mfma_f32_16x16x1f32 ~, 1
#define KS_OWN_mfma_f32_16x16x4bf16_1k ~, 1
#define KS_OWN_mfma_f32_16x16x4f16 ~, 1
#define KS_OWN_mfma_f32_16x16x4f32 ~, 1
#define KS_OWN_mfma_f32_16x16x8bf16 ~, 1
#define KS_OWN_mfma_f32_32x32x1f32 ~, 1
#define KS_OWN_mfma_f32_32x32x2f32 ~, 1
#define KS_OWN_mfma_f32_32x32x4bf16 ~, 1
#define KS_OWN_mfma_f32_32x32x4bf16_1k ~, 1
#define KS_OWN_mfma_f32_32x32x4f16 ~, 1
#define KS_OWN_mfma_f32_32x32x8bf16_1k ~, 1
#define KS_OWN_mfma_f32_32x32x8f16 ~, 1
#define KS_OWN_mfma_f32_4x4x1f32 ~, 1
#define KS_OWN_mfma_f32_4x4x4bf16_1k ~, 1
#define KS_OWN_mfma_f32_4x4x4f16 ~, 1
#define KS_OWN_mfma_f64_16x16x4f64 ~, 1
#define KS_OWN_mfma_i32_16x16x16i8 ~, 1
#define KS_OWN_mfma_i32_16x16x32_i8 ~, 1
#define KS_OWN_mfma_i32_16x16x4i8 ~, 1
#define KS_OWN_mfma_i32_32x32x16_i8 ~, 1
#define KS_OWN_mfma_i32_32x32x4i8 ~, 1
#define KS_OWN_mfma_i32_32x32x8i8 ~, 1
#define KS_OWN_mfma_i32_4x4x4i8 ~, 1
#define KS_OWN_mov_dpp ~, 1
#define KS_OWN_perm ~, 1
#define KS_OWN_permlanex16 ~, 1
#define KS_OWN_rcpf ~, 1
#define KS_OWN_readfirstlane ~, 1
#define KS_OWN_readlane ~, 1
#define KS_OWN_rsqf ~, 1
#define KS_OWN_s_barrier ~, 1
#define KS_OWN_s_memrealtime ~, 1
#define KS_OWN_s_memtime ~, 1
#define KS_OWN_s_setprio ~, 1
#define KS_OWN_s_sleep ~, 1
#define KS_OWN_s_waitcnt ~, 1
#define KS_OWN_sbfe ~, 1
#define KS_OWN_sched_barrier ~, 1
#define KS_OWN_sched_group_barrier ~, 1
#define KS_OWN_sdot4 ~, 1
#define KS_OWN_sqrtf ~, 1
#define KS_OWN_sudot4 ~, 1
#define KS_OWN_ubfe ~, 1
#define KS_OWN_udot4 ~, 1
#define KS_OWN_update_dpp ~, 1
#define KS_OWN_wave_barrier ~, 1
#define KS_OWN_wmma_f32_16x16x16_bf16_w32 ~, 1
#define KS_OWN_wmma_f32_16x16x16_f16_w32 ~, 1
#define KS_OWN_wmma_i32_16x16x16_iu8_w32 ~, 1

KS_RUNTIME_BEGIN
#include <kernelset/amd_builtins.h>

#define KS_AMDGCN(type, name) static inline type __builtin_amdgcn_##name
#define KS_LINE unsigned line = __builtin_LINE()

namespace kernelset::amd {
// the lane that a DPP control takes its value from; -1 where there is none
KS_HD int dpp_source(int lane, int control) {
  const int row = lane & ~15, at = lane & 15, by = control & 15;
  if (control < 0x100) return (lane & ~3) + (control >> 2 * (lane & 3) & 3);
  switch (control & 0x1f0) {
    case 0x100: return at + by < 16 ? lane + by : -1;
    case 0x110: return at - by >= 0 ? lane - by : -1;
    case 0x120: return row + ((at - by) & 15);
    case 0x150: return row + by;
    case 0x160: return row + (at ^ by);
  }
  if (control == 0x140) return row + 15 - at;
  if (control == 0x141) return row + (at & 8) + 7 - (at & 7);
  if (control == 0x142) return lane < 16 ? -1 : row - 1;
  if (control == 0x143) return lane < 32 ? -1 : 31;
  find_and_end(Kind::unsupported);
}
KS_HD int byte_of(unsigned word, int at, bool is_signed) {
  const unsigned value = word >> 8 * at & 255;
  return is_signed ? static_cast<signed char>(value) : static_cast<int>(value);
}
KS_HD int dot4(bool a_signed, unsigned a, bool b_signed, unsigned b, int sum) {
  long long total = sum;
  for (int at = 0; at < 4; ++at) total += byte_of(a, at, a_signed) * byte_of(b, at, b_signed);
  return static_cast<int>(total);
}
KS_HD float bfloat(short bits) {
  const unsigned word = static_cast<unsigned>(static_cast<unsigned short>(bits)) << 16;
  float value;
  __builtin_memcpy(&value, &word, sizeof(value));
  return value;
}
// each lane takes what the first of those that are there gave
static void first(Warp& warp, Lanes present) {
  for (Lanes rest = present; rest; rest &= rest - 1) warp.result[lowest(rest)] = warp.given[lowest(present)];
}
// a lane holds a row of A and a column of B, 16 deep; of the sum every other row of its column
template <class Sum, class Of, class Multiply>
KS_D Sum wmma(Of a, Of b, Sum sum, unsigned line, Multiply multiply) {
  if (warpSize != 32) find_and_end(Kind::unsupported, line);
  const int lane = static_cast<int>(own_lane());
  const Of column = __shfl(b, lane % 16, 32, line);
  for (int at = 0; at < 8; ++at) {
    const Of row = __shfl(a, 2 * at + lane / 16, 32, line);
    for (int deep = 0; deep < 16; ++deep) sum[at] += multiply(row, column, deep);
  }
  return sum;
}
}  // namespace kernelset::amd

KS_AMDGCN(unsigned, alignbit)(unsigned high, unsigned low, unsigned by) noexcept {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (by & 31));
}
KS_AMDGCN(unsigned, alignbyte)(unsigned high, unsigned low, unsigned by) noexcept {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> 8 * (by & 3));
}
KS_AMDGCN(unsigned, perm)(unsigned high, unsigned low, unsigned selector) noexcept {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  unsigned found = 0;
  for (int at = 0; at < 4; ++at) {
    const unsigned which = selector >> 8 * at & 255;
    unsigned byte = which >= 13 ? 255 : 0;
    if (which < 8) byte = static_cast<unsigned>(both >> 8 * which) & 255;
    else if (which < 12) byte = both >> (16 * (which - 8) + 15) & 1 ? 255 : 0;
    found |= byte << 8 * at;
  }
  return found;
}
KS_AMDGCN(unsigned, ubfe)(unsigned word, unsigned from, unsigned width) noexcept {
  return (width & 31) ? word >> (from & 31) & ((1u << (width & 31)) - 1) : 0;
}
KS_AMDGCN(unsigned, sbfe)(unsigned word, unsigned from, unsigned width) noexcept {
  const unsigned bits = __builtin_amdgcn_ubfe(word, from, width), sign = (width & 31) ? 1u << ((width & 31) - 1) : 0;
  return (bits ^ sign) - sign;
}
KS_AMDGCN(int, sdot4)(int a, int b, int sum, bool) noexcept { return kernelset::amd::dot4(true, a, true, b, sum); }
KS_AMDGCN(int, sudot4)(bool a_signed, int a, bool b_signed, int b, int sum, bool) noexcept {
  return kernelset::amd::dot4(a_signed, a, b_signed, b, sum);
}
KS_AMDGCN(unsigned, udot4)(unsigned a, unsigned b, unsigned sum, bool) noexcept {
  return static_cast<unsigned>(kernelset::amd::dot4(false, a, false, b, static_cast<int>(sum)));
}
KS_AMDGCN(float, fdot2)(ks_f16x2 a, ks_f16x2 b, float sum, bool) noexcept {
  return float(a[0]) * float(b[0]) + float(a[1]) * float(b[1]) + sum;
}
static inline float ks_float_of_half(unsigned short bits) { return __half2float(__ushort_as_half(bits)); }
static inline unsigned short ks_half_of_float(float value) { return __half_as_ushort(__float2half(value)); }
template <class A, class B> static inline float ks_dot_of_halves(const A& a, const B& b, float sum) {
  ks_f16x2 one, two;
  static_assert(sizeof(a) == sizeof(one) && sizeof(b) == sizeof(two), "registers of 32 bits");
  __builtin_memcpy(&one, &a, sizeof(one));
  __builtin_memcpy(&two, &b, sizeof(two));
  return __builtin_amdgcn_fdot2(one, two, sum, false);
}
// a `half2` of HIP's is such a vector, too
template <class A, class B> static inline float __builtin_amdgcn_fdot2(const A& a, const B& b, float sum, bool) {
  return ks_dot_of_halves(a, b, sum);
}
KS_AMDGCN(ks_f16x2, cvt_pkrtz)(float a, float b) noexcept {
  return ks_f16x2{static_cast<_Float16>(a), static_cast<_Float16>(b)};
}
KS_AMDGCN(float, exp2f)(float x) noexcept { return ::exp2f(x); }
KS_AMDGCN(float, logf)(float x) noexcept { return ::log2f(x); }
KS_AMDGCN(float, rcpf)(float x) noexcept { return 1.0f / x; }
KS_AMDGCN(float, rsqf)(float x) noexcept { return 1.0f / ::sqrtf(x); }
KS_AMDGCN(float, sqrtf)(float x) noexcept { return ::sqrtf(x); }
KS_AMDGCN(float, fractf)(float x) noexcept { return x - ::floorf(x); }
KS_AMDGCN(float, fmed3f)(float a, float b, float c) noexcept {
  return ::fmaxf(::fminf(a, b), ::fminf(::fmaxf(a, b), c));
}
KS_AMDGCN(float, ldexpf)(float x, int by) noexcept { return ::ldexpf(x, by); }
KS_AMDGCN(double, ldexp)(double x, int by) noexcept { return ::ldexp(x, by); }

KS_AMDGCN(unsigned, ballot_w32)(bool yes, KS_LINE) noexcept { return static_cast<unsigned>(__ballot(yes, line)); }
KS_AMDGCN(unsigned long, ballot_w64)(bool yes, KS_LINE) noexcept { return __ballot(yes, line); }
KS_AMDGCN(unsigned, mbcnt_lo)(unsigned mask, unsigned sum) noexcept {
  const unsigned lane = kernelset::own_lane();
  return sum + static_cast<unsigned>(__builtin_popcount(lane < 32 ? mask & ((1u << lane) - 1) : mask));
}
KS_AMDGCN(unsigned, mbcnt_hi)(unsigned mask, unsigned sum) noexcept {
  const unsigned lane = kernelset::own_lane();
  return sum + static_cast<unsigned>(__builtin_popcount(lane < 32 ? 0 : mask & ((1u << (lane - 32)) - 1)));
}
KS_AMDGCN(int, readlane)(int value, int lane, KS_LINE) noexcept { return __shfl(value, lane, warpSize, line); }
KS_AMDGCN(int, readfirstlane)(int value, KS_LINE) noexcept {
  return static_cast<int>(kernelset::meet(0, kernelset::amd::first, static_cast<unsigned>(value), 0, line));
}
KS_AMDGCN(int, ds_bpermute)(int address, int value, KS_LINE) noexcept {
  return __shfl(value, address / 4 & (warpSize - 1), warpSize, line);
}
KS_AMDGCN(int, update_dpp)(int old, int value, int control, int rows, int banks, bool zero, KS_LINE) noexcept {
  const int lane = static_cast<int>(kernelset::own_lane()), from = kernelset::amd::dpp_source(lane, control);
  const int moved = __shfl(value, from < 0 ? lane : from, warpSize, line);
  if (!(rows >> lane / 16 & 1) || !(banks >> lane % 16 / 4 & 1)) return old;
  return from >= 0 ? moved : zero ? 0 : old;
}
KS_AMDGCN(int, mov_dpp)(int value, int control, int rows, int banks, bool zero, KS_LINE) noexcept {
  return __builtin_amdgcn_update_dpp(value, value, control, rows, banks, zero, line);
}
KS_AMDGCN(unsigned, permlanex16)(unsigned, unsigned value, unsigned low, unsigned high, bool, bool, KS_LINE) noexcept {
  const unsigned lane = kernelset::own_lane(), at = lane & 15, from = (at < 8 ? low : high) >> 4 * (at & 7) & 15;
  return __shfl(value, static_cast<int>((lane & ~15u) ^ 16) + static_cast<int>(from), warpSize, line);
}
KS_AMDGCN(void, s_barrier)(KS_LINE) noexcept { __syncthreads(line); }
KS_AMDGCN(void, wave_barrier)() noexcept {}
KS_AMDGCN(void, fence)(unsigned, const char*) noexcept { __threadfence(); }
KS_AMDGCN(void, iglp_opt)(int) noexcept {}
KS_AMDGCN(void, s_setprio)(short) noexcept {}
KS_AMDGCN(void, s_sleep)(int) noexcept { kernelset::give_way(); }
KS_AMDGCN(void, s_waitcnt)(int) noexcept {}
KS_AMDGCN(void, sched_barrier)(int) noexcept {}
KS_AMDGCN(void, sched_group_barrier)(int, int, int) noexcept {}
KS_AMDGCN(unsigned long, s_memtime)() noexcept { return static_cast<unsigned long>(clock64()); }
KS_AMDGCN(unsigned long, s_memrealtime)() noexcept { return static_cast<unsigned long>(clock64()); }

KS_AMDGCN(ks_f32x8, wmma_f32_16x16x16_f16_w32)(ks_f16x16 a, ks_f16x16 b, ks_f32x8 c, KS_LINE) noexcept {
  const auto multiply = [](ks_f16x16 x, ks_f16x16 y, int at) { return float(x[at]) * float(y[at]); };
  return kernelset::amd::wmma(a, b, c, line, multiply);
}
KS_AMDGCN(ks_f32x8, wmma_f32_16x16x16_bf16_w32)(ks_i16x16 a, ks_i16x16 b, ks_f32x8 c, KS_LINE) noexcept {
  const auto multiply = [](ks_i16x16 x, ks_i16x16 y, int at) {
    return kernelset::amd::bfloat(x[at]) * kernelset::amd::bfloat(y[at]);
  };
  return kernelset::amd::wmma(a, b, c, line, multiply);
}
KS_AMDGCN(ks_i32x8, wmma_i32_16x16x16_iu8_w32)
(bool a_signed, ks_i32x4 a, bool b_signed, ks_i32x4 b, ks_i32x8 c, bool, KS_LINE) noexcept {
  const auto multiply = [=](ks_i32x4 x, ks_i32x4 y, int at) {
    const auto one = static_cast<unsigned>(x[at / 4]), other = static_cast<unsigned>(y[at / 4]);
    return kernelset::amd::byte_of(one, at % 4, a_signed) * kernelset::amd::byte_of(other, at % 4, b_signed);
  };
  return kernelset::amd::wmma(a, b, c, line, multiply);
}
#undef KS_AMDGCN
#undef KS_LINE

#define KS_OCML(name, function)                                                                              \
  KS_D float __ocml_##name##_f32(float x) { return static_cast<float>(function(static_cast<double>(x))); }   \
  KS_D double __ocml_##name##_f64(double x) { return function(x); }                                          \
  KS_D _Float16 __ocml_##name##_f16(_Float16 x) { return static_cast<_Float16>(function(static_cast<double>(x))); }
KS_OCML(acos, ::acos) KS_OCML(asin, ::asin) KS_OCML(atan, ::atan) KS_OCML(ceil, ::ceil) KS_OCML(cos, ::cos)
KS_OCML(exp, ::exp) KS_OCML(exp2, ::exp2) KS_OCML(fabs, ::fabs) KS_OCML(floor, ::floor) KS_OCML(log, ::log)
KS_OCML(log10, ::log10) KS_OCML(log2, ::log2) KS_OCML(rint, ::rint) KS_OCML(rsqrt, 1.0 / ::sqrt) KS_OCML(sin, ::sin)
KS_OCML(sqrt, ::sqrt) KS_OCML(tan, ::tan) KS_OCML(tanh, ::tanh) KS_OCML(trunc, ::trunc)
#undef KS_OCML
KS_RUNTIME_END

#include <kernelset/cpu/amd_matrix.h>
