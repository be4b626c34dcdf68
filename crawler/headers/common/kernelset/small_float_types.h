// The types of floats of 4 and 6 bits from one text: a format's name and kind, its bits, and what holds 1, 2 and 4.
// Who includes it says how names begin: KS_SMALL(name), KS_SMALL_WORD(NAME), KS_BF16, KS_BF16_2, KS_BF16_RAW,
// KS_BF16_2_RAW, KS_ROUND_MODE and KS_ROUND_NEAREST.
// Rule: CUDA Math API, "FP4 Intrinsics" and "FP6 Intrinsics". Any rounding mode rounds to nearest.
#pragma once
#include <kernelset/small_float.h>

#ifndef KS_HD
#define KS_HD __host__ __device__ inline
#endif

#define KS_SMALL_STORAGE(n, WIDE)                                                                                     \
  typedef unsigned char KS_SMALL(fp##n##_storage_t);                                                                  \
  typedef WIDE KS_SMALL(fp##n##x2_storage_t);
#define KS_SMALL_TYPE(name, n, Number)                                                                                \
  struct KS_SMALL(fp##n##_##name) {                                                                                   \
    KS_SMALL(fp##n##_storage_t) __x;                                                                                  \
    KS_SMALL(fp##n##_##name)() = default;                                                                             \
    KS_HD explicit KS_SMALL(fp##n##_##name)(float v) : __x(Number::code(v)) {}                                        \
    KS_HD explicit KS_SMALL(fp##n##_##name)(double v) : __x(Number::code(static_cast<float>(v))) {}                   \
    KS_HD explicit KS_SMALL(fp##n##_##name)(int v) : __x(Number::code(static_cast<float>(v))) {}                      \
    KS_HD explicit KS_SMALL(fp##n##_##name)(__half v) : __x(Number::code(__half2float(v))) {}                         \
    KS_HD explicit KS_SMALL(fp##n##_##name)(KS_BF16 v) : __x(Number::code(__bfloat162float(v))) {}                    \
    KS_HD explicit operator float() const { return Number::value(__x); }                                              \
    KS_HD explicit operator double() const { return Number::value(__x); }                                             \
    KS_HD explicit operator __half() const { return __float2half(Number::value(__x)); }                               \
    KS_HD explicit operator KS_BF16() const { return __float2bfloat16(Number::value(__x)); }                          \
  };
#define KS_SMALL_VECTORS(name, n, Number, bits, Four)                                                                 \
  struct KS_SMALL(fp##n##x2_##name) {                                                                                 \
    KS_SMALL(fp##n##x2_storage_t) __x;                                                                                \
    KS_SMALL(fp##n##x2_##name)() = default;                                                                           \
    KS_HD explicit KS_SMALL(fp##n##x2_##name)(float2 v)                                                               \
        : __x(static_cast<KS_SMALL(fp##n##x2_storage_t)>(Number::code(v.x) | Number::code(v.y) << bits)) {}           \
    KS_HD explicit KS_SMALL(fp##n##x2_##name)(double2 v)                                                              \
        : KS_SMALL(fp##n##x2_##name)(make_float2(static_cast<float>(v.x), static_cast<float>(v.y))) {}                \
    KS_HD explicit KS_SMALL(fp##n##x2_##name)(__half2 v) : KS_SMALL(fp##n##x2_##name)(__half22float2(v)) {}           \
    KS_HD explicit KS_SMALL(fp##n##x2_##name)(KS_BF16_2 v) : KS_SMALL(fp##n##x2_##name)(__bfloat1622float2(v)) {}     \
    KS_HD explicit operator float2() const { return make_float2(Number::value(__x), Number::value(__x >> bits)); }    \
    KS_HD explicit operator __half2() const { return __float22half2_rn(static_cast<float2>(*this)); }                 \
  };                                                                                                                  \
  struct KS_SMALL(fp##n##x4_##name) {                                                                                 \
    Four __x;                                                                                                         \
    KS_SMALL(fp##n##x4_##name)() = default;                                                                           \
    KS_HD explicit KS_SMALL(fp##n##x4_##name)(float4 v)                                                               \
        : __x(static_cast<Four>(KS_SMALL(fp##n##x2_##name)(make_float2(v.x, v.y)).__x |                               \
                                KS_SMALL(fp##n##x2_##name)(make_float2(v.z, v.w)).__x << 2 * bits)) {}                \
    KS_HD explicit KS_SMALL(fp##n##x4_##name)(double4 v)                                                              \
        : KS_SMALL(fp##n##x4_##name)(make_float4(static_cast<float>(v.x), static_cast<float>(v.y),                    \
                                            static_cast<float>(v.z), static_cast<float>(v.w))) {}                     \
    KS_HD explicit KS_SMALL(fp##n##x4_##name)(__half2 low, __half2 high)                                              \
        : KS_SMALL(fp##n##x4_##name)(make_float4(__low2float(low), __high2float(low), __low2float(high),              \
                                            __high2float(high))) {}                                                   \
    KS_HD explicit operator float4() const {                                                                          \
      return make_float4(Number::value(__x), Number::value(__x >> bits), Number::value(__x >> 2 * bits),              \
                         Number::value(__x >> 3 * bits));                                                             \
    }                                                                                                                 \
  };
#define KS_SMALL_CONVERSIONS(n, bits, PICK, VALUE)                                                                    \
  static KS_HD KS_SMALL(fp##n##_storage_t) KS_SMALL(cvt_float_to_fp##n)(float v, KS_SMALL(fp##n##_interpretation_t) kind, \
                                                             KS_ROUND_MODE = KS_ROUND_NEAREST) {                      \
    return PICK(kind, v);                                                                                             \
  }                                                                                                                   \
  static KS_HD KS_SMALL(fp##n##_storage_t) KS_SMALL(cvt_double_to_fp##n)(double v, KS_SMALL(fp##n##_interpretation_t) kind, \
                                                              KS_ROUND_MODE = KS_ROUND_NEAREST) {                     \
    return PICK(kind, static_cast<float>(v));                                                                         \
  }                                                                                                                   \
  static KS_HD KS_SMALL(fp##n##_storage_t) KS_SMALL(cvt_halfraw_to_fp##n)(__half_raw v, KS_SMALL(fp##n##_interpretation_t) kind, \
                                                               KS_ROUND_MODE = KS_ROUND_NEAREST) {                    \
    return PICK(kind, __half2float(__half(v)));                                                                       \
  }                                                                                                                   \
  static KS_HD KS_SMALL(fp##n##_storage_t) KS_SMALL(cvt_bfloat16raw_to_fp##n)(                                         \
      KS_BF16_RAW v, KS_SMALL(fp##n##_interpretation_t) kind, KS_ROUND_MODE = KS_ROUND_NEAREST) {                     \
    return PICK(kind, __bfloat162float(KS_BF16(v)));                                                                  \
  }                                                                                                                   \
  static KS_HD KS_SMALL(fp##n##x2_storage_t) KS_SMALL(cvt_float2_to_fp##n##x2)(                                       \
      float2 v, KS_SMALL(fp##n##_interpretation_t) kind, KS_ROUND_MODE = KS_ROUND_NEAREST) {                          \
    return static_cast<KS_SMALL(fp##n##x2_storage_t)>(PICK(kind, v.x) | PICK(kind, v.y) << bits);                     \
  }                                                                                                                   \
  static KS_HD KS_SMALL(fp##n##x2_storage_t) KS_SMALL(cvt_halfraw2_to_fp##n##x2)(                                     \
      __half2_raw v, KS_SMALL(fp##n##_interpretation_t) kind, KS_ROUND_MODE = KS_ROUND_NEAREST) {                     \
    return KS_SMALL(cvt_float2_to_fp##n##x2)(__half22float2(__half2(v)), kind);                                       \
  }                                                                                                                   \
  static KS_HD KS_SMALL(fp##n##x2_storage_t) KS_SMALL(cvt_bfloat16raw2_to_fp##n##x2)(                                 \
      KS_BF16_2_RAW v, KS_SMALL(fp##n##_interpretation_t) kind, KS_ROUND_MODE = KS_ROUND_NEAREST) {                   \
    return KS_SMALL(cvt_float2_to_fp##n##x2)(                                                                         \
        make_float2(__bfloat162float(KS_BF16(KS_BF16_RAW{v.x})), __bfloat162float(KS_BF16(KS_BF16_RAW{v.y}))), kind); \
  }                                                                                                                   \
  static KS_HD __half_raw KS_SMALL(cvt_fp##n##_to_halfraw)(KS_SMALL(fp##n##_storage_t) v, KS_SMALL(fp##n##_interpretation_t) kind) { \
    return static_cast<__half_raw>(__float2half(VALUE(kind, v)));                                                     \
  }                                                                                                                   \
  static KS_HD __half2_raw KS_SMALL(cvt_fp##n##x2_to_halfraw2)(KS_SMALL(fp##n##x2_storage_t) v,                       \
                                                         KS_SMALL(fp##n##_interpretation_t) kind) {                   \
    return static_cast<__half2_raw>(__floats2half2_rn(VALUE(kind, v & ((1 << bits) - 1)), VALUE(kind, v >> bits)));   \
  }
