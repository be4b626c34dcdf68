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

#define KS_ROUND(name) cudaRound##name
#include <kernelset/fp8_scale.h>
