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

#define KS_FP8(name) __hip_##name
#define KS_FP8_WORD(name) __HIP_##name
#define KS_FP8_FNUZ 1
#define KS_BF16 __hip_bfloat16
#define KS_BF16_2 __hip_bfloat162
#define KS_BF16_RAW __hip_bfloat16_raw
#include <kernelset/fp8_types.h>

static __host__ __device__ inline __hip_fp8x2_storage_t __hip_cvt_bfloat16raw2_to_fp8x2(
    __hip_bfloat162_raw value, __hip_saturation_t saturation, __hip_fp8_interpretation_t kind) {
  float low = __bfloat162float(__hip_bfloat16(__hip_bfloat16_raw{value.x}));
  float high = __bfloat162float(__hip_bfloat16(__hip_bfloat16_raw{value.y}));
  return __hip_cvt_float2_to_fp8x2(make_float2(low, high), saturation, kind);
}
#endif
#undef KERNELSET_HAS_HIP_FP8

#include <kernelset/hip_small_float.h>
#ifndef KS_FP8
#define KS_FP8(name) __hip_##name
#define KS_FP8_WORD(name) __HIP_##name
#endif
#define KS_ROUND(name) hipRound##name
#include <kernelset/fp8_scale.h>
#endif
