// The 8-bit types of cuda_fp8.h and hip_fp8.h, one text for both: KS_FP8(name) and KS_FP8_WORD(NAME) put the vendor's
// prefix before a name, KS_BF16 is its bfloat16, KS_BF16_2 two of them, KS_BF16_RAW the bits
// of one; with KS_FP8_FNUZ it has AMD's own formats too.
#ifndef KERNELSET_FP8_TYPES_H
#define KERNELSET_FP8_TYPES_H

#include <kernelset/fp8.h>

typedef unsigned char KS_FP8(fp8_storage_t);
typedef unsigned short KS_FP8(fp8x2_storage_t);
typedef unsigned int KS_FP8(fp8x4_storage_t);
enum KS_FP8(saturation_t) { KS_FP8_WORD(NOSAT), KS_FP8_WORD(SATFINITE) };
enum KS_FP8(fp8_interpretation_t) {
  KS_FP8_WORD(E4M3),
  KS_FP8_WORD(E5M2),
#ifdef KS_FP8_FNUZ
#define HIP_FP8_TYPE_OCP 1
#define HIP_FP8_TYPE_FNUZ 1
  KS_FP8_WORD(E4M3_FNUZ),
  KS_FP8_WORD(E5M2_FNUZ),
#endif
};

#define KS_FP8_FUNCTION static __host__ __device__ inline
namespace kernelset {
typedef KS_FP8(fp8_storage_t) fp8_code;
typedef KS_FP8(saturation_t) fp8_saturation;
typedef KS_FP8(fp8_interpretation_t) fp8_kind;

KS_FP8_FUNCTION float fp8_value(fp8_code code, fp8_kind kind) {
#ifdef KS_FP8_FNUZ
  if (kind == KS_FP8_WORD(E4M3_FNUZ)) return E4M3Fnuz::value(code);
  if (kind == KS_FP8_WORD(E5M2_FNUZ)) return E5M2Fnuz::value(code);
#endif
  return kind == KS_FP8_WORD(E4M3) ? E4M3::value(code) : E5M2::value(code);
}
}  // namespace kernelset

KS_FP8_FUNCTION kernelset::fp8_code KS_FP8(cvt_float_to_fp8)(float value, kernelset::fp8_saturation saturation,
                                                             kernelset::fp8_kind kind) {
  bool saturate = saturation == KS_FP8_WORD(SATFINITE);
#ifdef KS_FP8_FNUZ
  if (kind == KS_FP8_WORD(E4M3_FNUZ)) return kernelset::E4M3Fnuz::code(value, saturate);
  if (kind == KS_FP8_WORD(E5M2_FNUZ)) return kernelset::E5M2Fnuz::code(value, saturate);
#endif
  return kind == KS_FP8_WORD(E4M3) ? kernelset::E4M3::code(value, saturate) : kernelset::E5M2::code(value, saturate);
}
KS_FP8_FUNCTION kernelset::fp8_code KS_FP8(cvt_double_to_fp8)(double value, kernelset::fp8_saturation saturation,
                                                              kernelset::fp8_kind kind) {
  return KS_FP8(cvt_float_to_fp8)(static_cast<float>(value), saturation, kind);
}
KS_FP8_FUNCTION kernelset::fp8_code KS_FP8(cvt_halfraw_to_fp8)(__half_raw value, kernelset::fp8_saturation saturation,
                                                               kernelset::fp8_kind kind) {
  return KS_FP8(cvt_float_to_fp8)(__half2float(__half(value)), saturation, kind);
}
KS_FP8_FUNCTION kernelset::fp8_code KS_FP8(cvt_bfloat16raw_to_fp8)(KS_BF16_RAW value,
                                                                   kernelset::fp8_saturation saturation,
                                                                   kernelset::fp8_kind kind) {
  return KS_FP8(cvt_float_to_fp8)(__bfloat162float(KS_BF16(value)), saturation, kind);
}
KS_FP8_FUNCTION KS_FP8(fp8x2_storage_t) KS_FP8(cvt_float2_to_fp8x2)(float2 value, kernelset::fp8_saturation saturation,
                                                                    kernelset::fp8_kind kind) {
  return static_cast<KS_FP8(fp8x2_storage_t)>(KS_FP8(cvt_float_to_fp8)(value.x, saturation, kind) |
                                              KS_FP8(cvt_float_to_fp8)(value.y, saturation, kind) << 8);
}
KS_FP8_FUNCTION KS_FP8(fp8x2_storage_t) KS_FP8(cvt_double2_to_fp8x2)(double2 value,
                                                                     kernelset::fp8_saturation saturation,
                                                                     kernelset::fp8_kind kind) {
  return KS_FP8(cvt_float2_to_fp8x2)(make_float2(value.x, value.y), saturation, kind);
}
KS_FP8_FUNCTION __half_raw KS_FP8(cvt_fp8_to_halfraw)(kernelset::fp8_code code, kernelset::fp8_kind kind) {
  return static_cast<__half_raw>(__float2half(kernelset::fp8_value(code, kind)));
}
#ifdef KS_FP8_FNUZ
KS_FP8_FUNCTION __half2_raw KS_FP8(cvt_fp8x2_to_halfraw2)(KS_FP8(fp8x2_storage_t) codes, kernelset::fp8_kind kind) {
  return static_cast<__half2_raw>(
      __floats2half2_rn(kernelset::fp8_value(codes & 0xff, kind), kernelset::fp8_value(codes >> 8, kind)));
}
KS_FP8_FUNCTION KS_FP8(fp8x2_storage_t) KS_FP8(cvt_halfraw2_to_fp8x2)(__half2_raw value, kernelset::fp8_saturation saturation,
                                                                      kernelset::fp8_kind kind) {
  return KS_FP8(cvt_float2_to_fp8x2)(__half22float2(__half2(value)), saturation, kind);
}
#endif

#define KS_FP8_TYPE(name, kind)                                                                                    \
  struct name {                                                                                                    \
    kernelset::fp8_code __x;                                                                                       \
    static constexpr kernelset::fp8_saturation __default_saturation = KS_FP8_WORD(SATFINITE);                      \
    static constexpr kernelset::fp8_kind __default_interpret = kind;                                               \
    name() = default;                                                                                              \
    __host__ __device__ explicit name(float value)                                                                 \
        : __x(KS_FP8(cvt_float_to_fp8)(value, KS_FP8_WORD(SATFINITE), kind)) {}                                    \
    __host__ __device__ explicit name(double value) : name(static_cast<float>(value)) {}                           \
    __host__ __device__ explicit name(int value) : name(static_cast<float>(value)) {}                              \
    __host__ __device__ explicit name(__half value) : name(__half2float(value)) {}                                 \
    __host__ __device__ explicit name(KS_BF16 value) : name(__bfloat162float(value)) {}                            \
    __host__ __device__ explicit operator float() const { return kernelset::fp8_value(__x, kind); }                \
    __host__ __device__ explicit operator double() const { return static_cast<float>(*this); }                     \
    __host__ __device__ explicit operator __half() const { return __float2half(static_cast<float>(*this)); }       \
    __host__ __device__ explicit operator KS_BF16() const { return KS_BF16(static_cast<float>(*this)); }           \
    __host__ __device__ explicit operator bool() const { return (__x & 0x7f) != 0; }                               \
  };
KS_FP8_TYPE(KS_FP8(fp8_e4m3), KS_FP8_WORD(E4M3))
KS_FP8_TYPE(KS_FP8(fp8_e5m2), KS_FP8_WORD(E5M2))
#ifdef KS_FP8_FNUZ
KS_FP8_TYPE(KS_FP8(fp8_e4m3_fnuz), KS_FP8_WORD(E4M3_FNUZ))
KS_FP8_TYPE(KS_FP8(fp8_e5m2_fnuz), KS_FP8_WORD(E5M2_FNUZ))
#endif
#undef KS_FP8_TYPE

#define KS_FP8_VECTORS(two, four, kind)                                                                            \
  struct two {                                                                                                     \
    KS_FP8(fp8x2_storage_t) __x;                                                                                   \
    two() = default;                                                                                               \
    __host__ __device__ explicit two(float2 value)                                                                 \
        : __x(KS_FP8(cvt_float2_to_fp8x2)(value, KS_FP8_WORD(SATFINITE), kind)) {}                                 \
    __host__ __device__ explicit two(__half2 value) : two(__half22float2(value)) {}                                \
    __host__ __device__ explicit two(KS_BF16_2 value) : two(__bfloat1622float2(value)) {}                          \
    __host__ __device__ explicit operator float2() const {                                                         \
      return make_float2(kernelset::fp8_value(__x & 0xff, kind), kernelset::fp8_value(__x >> 8, kind));            \
    }                                                                                                              \
  };                                                                                                               \
  struct four {                                                                                                    \
    KS_FP8(fp8x4_storage_t) __x;                                                                                   \
    four() = default;                                                                                              \
    __host__ __device__ explicit four(float4 value)                                                                \
        : __x(two(make_float2(value.x, value.y)).__x |                                                             \
              static_cast<unsigned>(two(make_float2(value.z, value.w)).__x) << 16) {}                              \
    __host__ __device__ explicit four(__half2 low, __half2 high)                                                   \
        : __x(two(low).__x | static_cast<unsigned>(two(high).__x) << 16) {}                                        \
    __host__ __device__ explicit four(KS_BF16_2 low, KS_BF16_2 high)                                               \
        : __x(two(low).__x | static_cast<unsigned>(two(high).__x) << 16) {}                                        \
    __host__ __device__ explicit operator float4() const {                                                         \
      return make_float4(kernelset::fp8_value(__x & 0xff, kind), kernelset::fp8_value(__x >> 8 & 0xff, kind),      \
                         kernelset::fp8_value(__x >> 16 & 0xff, kind), kernelset::fp8_value(__x >> 24, kind));     \
    }                                                                                                              \
  };
KS_FP8_VECTORS(KS_FP8(fp8x2_e4m3), KS_FP8(fp8x4_e4m3), KS_FP8_WORD(E4M3))
KS_FP8_VECTORS(KS_FP8(fp8x2_e5m2), KS_FP8(fp8x4_e5m2), KS_FP8_WORD(E5M2))
#ifdef KS_FP8_FNUZ
KS_FP8_VECTORS(KS_FP8(fp8x2_e4m3_fnuz), KS_FP8(fp8x4_e4m3_fnuz), KS_FP8_WORD(E4M3_FNUZ))
KS_FP8_VECTORS(KS_FP8(fp8x2_e5m2_fnuz), KS_FP8(fp8x4_e5m2_fnuz), KS_FP8_WORD(E5M2_FNUZ))
#endif
#undef KS_FP8_VECTORS
#undef KS_FP8_FUNCTION

#endif
