// Rule: CUDA Math API, "FP8 Intrinsics".
#pragma once
#include <kernelset/cuda.cuh>

#define KS_FP8(name) __nv_##name
#define KS_FP8_WORD(name) __NV_##name
#define KS_BF16 __nv_bfloat16
#define KS_BF16_2 __nv_bfloat162
#define KS_BF16_RAW __nv_bfloat16_raw
#include <kernelset/fp8_types.h>

static KS_HD __half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x, __nv_fp8_interpretation_t kind) {
  const __half_raw low = __nv_cvt_fp8_to_halfraw(x & 0xff, kind), high = __nv_cvt_fp8_to_halfraw(x >> 8, kind);
  return __half2_raw{low.x, high.x};
}
static KS_HD __nv_fp8x2_storage_t __nv_cvt_halfraw2_to_fp8x2(__half2_raw x, __nv_saturation_t saturation,
                                                             __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(float2{ks_half_value(x.x), ks_half_value(x.y)}, saturation, kind);
}
static KS_HD __nv_fp8x2_storage_t __nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw x, __nv_saturation_t saturation,
                                                                 __nv_fp8_interpretation_t kind) {
  return __nv_cvt_float2_to_fp8x2(float2{ks_bfloat16_value(x.x), ks_bfloat16_value(x.y)}, saturation, kind);
}

// scales: powers of two from 2^-127 to 2^127, and NaN
struct __nv_fp8_e8m0 {
  __nv_fp8_storage_t __x;
  __nv_fp8_e8m0() = default;
  KS_HD explicit __nv_fp8_e8m0(float v);
  KS_HD explicit operator float() const;
};
static KS_HD __nv_fp8_storage_t __nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturation, cudaRoundMode rounding) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, x) & 0x7fffffffu;
  if (bits > 0x7f800000u) return 0xff;
  if (bits == 0x7f800000u) return saturation == __NV_SATFINITE ? 0xfe : 0xff;
  const bool up = rounding == cudaRoundPosInf ? (bits & 0x7fffffu) != 0 : rounding == cudaRoundNearest && (bits & 0x400000u);
  const unsigned int exponent = (bits >> 23) + up;
  return (__nv_fp8_storage_t)(exponent > 0xfe ? (saturation == __NV_SATFINITE ? 0xfe : 0xff) : exponent);
}
static KS_HD __nv_bfloat16_raw __nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x) {
  return __nv_bfloat16_raw{(unsigned short)(x == 0xff ? 0x7fff : x ? x << 7 : 0x40)};
}
KS_HD __nv_fp8_e8m0::__nv_fp8_e8m0(float v) : __x(__nv_cvt_float_to_e8m0(v, __NV_SATFINITE, cudaRoundPosInf)) {}
KS_HD __nv_fp8_e8m0::operator float() const { return ks_bfloat16_value(__nv_cvt_e8m0_to_bf16raw(__x).x); }
