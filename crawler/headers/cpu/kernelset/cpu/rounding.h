// Arithmetic and conversions that name their rounding. Operations round to nearest, whatever their name asks; conversions
// to whole numbers round as they say, and saturate.
// Rule: CUDA Math API, "Type Casting Intrinsics".
#pragma once

KS_RUNTIME_BEGIN
#define KS_ROUNDED(S)                                                         \
  KS_D float __fadd_##S(float a, float b) { return a + b; }                   \
  KS_D float __fsub_##S(float a, float b) { return a - b; }                   \
  KS_D float __fmul_##S(float a, float b) { return a * b; }                   \
  KS_D float __fdiv_##S(float a, float b) { return a / b; }                   \
  KS_D float __fmaf_##S(float a, float b, float c) { return ::fmaf(a, b, c); }\
  KS_D float __fsqrt_##S(float a) { return ::sqrtf(a); }                      \
  KS_D float __frcp_##S(float a) { return 1.0f / a; }                         \
  KS_D double __dadd_##S(double a, double b) { return a + b; }                \
  KS_D double __dsub_##S(double a, double b) { return a - b; }                \
  KS_D double __dmul_##S(double a, double b) { return a * b; }                \
  KS_D double __ddiv_##S(double a, double b) { return a / b; }                \
  KS_D double __fma_##S(double a, double b, double c) { return ::fma(a, b, c); } \
  KS_D double __dsqrt_##S(double a) { return ::sqrt(a); }                     \
  KS_D double __drcp_##S(double a) { return 1.0 / a; }                        \
  KS_D float __int2float_##S(int a) { return static_cast<float>(a); }         \
  KS_D float __uint2float_##S(unsigned int a) { return static_cast<float>(a); } \
  KS_D float __ll2float_##S(long long a) { return static_cast<float>(a); }    \
  KS_D float __ull2float_##S(unsigned long long a) { return static_cast<float>(a); } \
  KS_D double __ll2double_##S(long long a) { return static_cast<double>(a); } \
  KS_D double __ull2double_##S(unsigned long long a) { return static_cast<double>(a); } \
  KS_D float __double2float_##S(double a) { return static_cast<float>(a); }
KS_ROUNDED(rn) KS_ROUNDED(rz) KS_ROUNDED(ru) KS_ROUNDED(rd)
#undef KS_ROUNDED
KS_D float __frsqrt_rn(float a) { return 1.0f / ::sqrtf(a); }
KS_D double __int2double_rn(int a) { return a; }
KS_D double __uint2double_rn(unsigned int a) { return a; }

namespace kernelset {
// out of range takes the nearest number there is, and NaN becomes zero
template <class T>
KS_HD T whole(double x) {
  if (x != x) return 0;
  if (x <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  if (x >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  return static_cast<T>(x);
}
}  // namespace kernelset
#define KS_WHOLE(S, ROUND)                                                                                        \
  KS_D int __float2int_##S(float x) { return kernelset::whole<int>(ROUND(x)); }                                   \
  KS_D unsigned int __float2uint_##S(float x) { return kernelset::whole<unsigned int>(ROUND(x)); }                \
  KS_D long long __float2ll_##S(float x) { return kernelset::whole<long long>(ROUND(x)); }                        \
  KS_D unsigned long long __float2ull_##S(float x) { return kernelset::whole<unsigned long long>(ROUND(x)); }     \
  KS_D int __double2int_##S(double x) { return kernelset::whole<int>(ROUND(x)); }                                 \
  KS_D unsigned int __double2uint_##S(double x) { return kernelset::whole<unsigned int>(ROUND(x)); }              \
  KS_D long long __double2ll_##S(double x) { return kernelset::whole<long long>(ROUND(x)); }                      \
  KS_D unsigned long long __double2ull_##S(double x) { return kernelset::whole<unsigned long long>(ROUND(x)); }
KS_WHOLE(rn, ::rint) KS_WHOLE(rz, ::trunc) KS_WHOLE(ru, ::ceil) KS_WHOLE(rd, ::floor)
#undef KS_WHOLE
KS_RUNTIME_END
