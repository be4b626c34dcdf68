// HIP's 8-bit floating point: its own header where it has one, else these types.
#ifndef KERNELSET_HIP_HIP_FP8_H
#define KERNELSET_HIP_HIP_FP8_H

#if defined(__has_include_next)
#if __has_include_next(<hip/hip_fp8.h>)
#define KERNELSET_HAS_HIP_FP8 1
#endif
#endif

#ifdef KERNELSET_HAS_HIP_FP8
#include_next <hip/hip_fp8.h>
#else
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <kernelset/hip_fp8.h>

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned int __hip_fp8x4_storage_t;
enum __hip_saturation_t { __HIP_NOSAT, __HIP_SATFINITE };
enum __hip_fp8_interpretation_t { __HIP_E4M3, __HIP_E5M2 };

#define KERNELSET_FP8 __host__ __device__ inline

KERNELSET_FP8 float kernelset_fp8_value(__hip_fp8_storage_t code, __hip_fp8_interpretation_t kind) {
  return kind == __HIP_E4M3 ? kernelset::E4M3::value(code) : kernelset::E5M2::value(code);
}
KERNELSET_FP8 __hip_fp8_storage_t __hip_cvt_float_to_fp8(float value, __hip_saturation_t saturation,
                                                         __hip_fp8_interpretation_t kind) {
  bool saturate = saturation == __HIP_SATFINITE;
  return kind == __HIP_E4M3 ? kernelset::E4M3::code(value, saturate) : kernelset::E5M2::code(value, saturate);
}
KERNELSET_FP8 __hip_fp8_storage_t __hip_cvt_double_to_fp8(double value, __hip_saturation_t saturation,
                                                          __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float_to_fp8(static_cast<float>(value), saturation, kind);
}
KERNELSET_FP8 __hip_fp8_storage_t __hip_cvt_halfraw_to_fp8(__half_raw value, __hip_saturation_t saturation,
                                                           __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float_to_fp8(__half2float(__half(value)), saturation, kind);
}
KERNELSET_FP8 __hip_fp8_storage_t __hip_cvt_bfloat16raw_to_fp8(__hip_bfloat16_raw value, __hip_saturation_t saturation,
                                                               __hip_fp8_interpretation_t kind) {
  return __hip_cvt_float_to_fp8(__bfloat162float(__hip_bfloat16(value)), saturation, kind);
}
KERNELSET_FP8 __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(float2 value, __hip_saturation_t saturation,
                                                              __hip_fp8_interpretation_t kind) {
  return static_cast<__hip_fp8x2_storage_t>(__hip_cvt_float_to_fp8(value.x, saturation, kind) |
                                            __hip_cvt_float_to_fp8(value.y, saturation, kind) << 8);
}
KERNELSET_FP8 __half_raw __hip_cvt_fp8_to_halfraw(__hip_fp8_storage_t code, __hip_fp8_interpretation_t kind) {
  return static_cast<__half_raw>(__float2half(kernelset_fp8_value(code, kind)));
}

#define KERNELSET_FP8_TYPE(name, kind)                                                                     \
  struct name {                                                                                            \
    __hip_fp8_storage_t __x;                                                                               \
    name() = default;                                                                                      \
    KERNELSET_FP8 explicit name(float value) : __x(__hip_cvt_float_to_fp8(value, __HIP_SATFINITE, kind)) {} \
    KERNELSET_FP8 explicit name(double value) : name(static_cast<float>(value)) {}                         \
    KERNELSET_FP8 explicit name(int value) : name(static_cast<float>(value)) {}                            \
    KERNELSET_FP8 explicit name(__half value) : name(__half2float(value)) {}                               \
    KERNELSET_FP8 explicit name(__hip_bfloat16 value) : name(__bfloat162float(value)) {}                   \
    KERNELSET_FP8 explicit operator float() const { return kernelset_fp8_value(__x, kind); }               \
    KERNELSET_FP8 explicit operator double() const { return static_cast<float>(*this); }                   \
    KERNELSET_FP8 explicit operator __half() const { return __float2half(static_cast<float>(*this)); }     \
    KERNELSET_FP8 explicit operator __hip_bfloat16() const { return static_cast<float>(*this); }           \
    KERNELSET_FP8 explicit operator bool() const { return (__x & 0x7f) != 0; }                             \
  };
KERNELSET_FP8_TYPE(__hip_fp8_e4m3, __HIP_E4M3)
KERNELSET_FP8_TYPE(__hip_fp8_e5m2, __HIP_E5M2)
#undef KERNELSET_FP8_TYPE

#define KERNELSET_FP8_VECTORS(one, two, four, kind)                                                        \
  struct two {                                                                                             \
    __hip_fp8x2_storage_t __x;                                                                             \
    two() = default;                                                                                       \
    KERNELSET_FP8 explicit two(float2 value) : __x(__hip_cvt_float2_to_fp8x2(value, __HIP_SATFINITE, kind)) {} \
    KERNELSET_FP8 explicit operator float2() const {                                                       \
      return make_float2(kernelset_fp8_value(__x & 0xff, kind), kernelset_fp8_value(__x >> 8, kind));      \
    }                                                                                                      \
  };                                                                                                       \
  struct four {                                                                                            \
    __hip_fp8x4_storage_t __x;                                                                             \
    four() = default;                                                                                      \
    KERNELSET_FP8 explicit four(float4 value)                                                              \
        : __x(two(make_float2(value.x, value.y)).__x |                                                     \
              static_cast<unsigned>(two(make_float2(value.z, value.w)).__x) << 16) {}                      \
    KERNELSET_FP8 explicit operator float4() const {                                                       \
      return make_float4(kernelset_fp8_value(__x & 0xff, kind), kernelset_fp8_value(__x >> 8 & 0xff, kind), \
                         kernelset_fp8_value(__x >> 16 & 0xff, kind), kernelset_fp8_value(__x >> 24, kind)); \
    }                                                                                                      \
  };
KERNELSET_FP8_VECTORS(__hip_fp8_e4m3, __hip_fp8x2_e4m3, __hip_fp8x4_e4m3, __HIP_E4M3)
KERNELSET_FP8_VECTORS(__hip_fp8_e5m2, __hip_fp8x2_e5m2, __hip_fp8x4_e5m2, __HIP_E5M2)
#undef KERNELSET_FP8_VECTORS
#undef KERNELSET_FP8

#endif
#undef KERNELSET_HAS_HIP_FP8
#endif
