// Functions of bfloat16 and of pairs of it that older HIP lacks, through float, which holds every bfloat16.
#ifndef KERNELSET_HIP_BFLOAT16_H
#define KERNELSET_HIP_BFLOAT16_H

// HIP defines its own in an unnamed namespace: ours would hide them from `::hexp(x)`, which also takes an `x` that only
// converts to a half
#define KERNELSET_OF_HALF(name, half)                                                                     \
  template <class T, typename = std::enable_if_t<std::is_convertible_v<T, half> && !std::is_arithmetic_v<T>>> \
  __device__ inline half name(T a) {                                                                      \
    return name(static_cast<half>(a));                                                                    \
  }
#define KERNELSET_BF16_MATH(name, pair, value)                                                                       \
  KERNELSET_FILL __hip_bfloat16 name(__hip_bfloat16 given) {                                                        \
    const float a = __bfloat162float(given);                                                                        \
    return __float2bfloat16(value);                                                                                 \
  }                                                                                                                 \
  KERNELSET_FILL __hip_bfloat162 pair(__hip_bfloat162 a) { return __hip_bfloat162(name(a.x), name(a.y)); }          \
  KERNELSET_OF_HALF(name, __half)                                                                                  \
  KERNELSET_OF_HALF(pair, __half2)
KERNELSET_BF16_MATH(hexp, h2exp, expf(a))
KERNELSET_BF16_MATH(hexp2, h2exp2, exp2f(a))
KERNELSET_BF16_MATH(hexp10, h2exp10, exp10f(a))
KERNELSET_BF16_MATH(hlog, h2log, logf(a))
KERNELSET_BF16_MATH(hlog2, h2log2, log2f(a))
KERNELSET_BF16_MATH(hlog10, h2log10, log10f(a))
KERNELSET_BF16_MATH(hsin, h2sin, sinf(a))
KERNELSET_BF16_MATH(hcos, h2cos, cosf(a))
KERNELSET_BF16_MATH(htanh, h2tanh, tanhf(a))
KERNELSET_BF16_MATH(hsqrt, h2sqrt, sqrtf(a))
KERNELSET_BF16_MATH(hrsqrt, h2rsqrt, 1.0f / sqrtf(a))
KERNELSET_BF16_MATH(hrcp, h2rcp, 1.0f / a)
KERNELSET_BF16_MATH(hrint, h2rint, rintf(a))
KERNELSET_BF16_MATH(hceil, h2ceil, ceilf(a))
KERNELSET_BF16_MATH(hfloor, h2floor, floorf(a))
KERNELSET_BF16_MATH(htrunc, h2trunc, truncf(a))
#undef KERNELSET_BF16_MATH
#undef KERNELSET_OF_HALF

#define KERNELSET_BF16_TWO(name, value) \
  KERNELSET_FILL __hip_bfloat16 name(__hip_bfloat16 a, __hip_bfloat16 b) { return value; }
KERNELSET_BF16_TWO(__hadd_rn, __hadd(a, b))
KERNELSET_BF16_TWO(__hsub_rn, __hsub(a, b))
KERNELSET_BF16_TWO(__hmul_rn, __hmul(a, b))
KERNELSET_BF16_TWO(__hdiv_rn, __hdiv(a, b))
KERNELSET_BF16_TWO(__hmax_nan, __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b))
KERNELSET_BF16_TWO(__hmin_nan, __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b))
#undef KERNELSET_BF16_TWO

#define KERNELSET_BF16_PAIRS(name, one) \
  KERNELSET_FILL __hip_bfloat162 name(__hip_bfloat162 a, __hip_bfloat162 b) { \
    return __hip_bfloat162(one(a.x, b.x), one(a.y, b.y)); \
  }
KERNELSET_BF16_PAIRS(__hmax2_nan, __hmax_nan)
KERNELSET_BF16_PAIRS(__hmin2_nan, __hmin_nan)
#undef KERNELSET_BF16_PAIRS

#define KERNELSET_BF16_COMPARED(name, both, one) \
  KERNELSET_FILL __hip_bfloat162 name(__hip_bfloat162 a, __hip_bfloat162 b) { \
    return __floats2bfloat162_rn(one(a.x, b.x) ? 1.0f : 0.0f, one(a.y, b.y) ? 1.0f : 0.0f); \
  } \
  KERNELSET_FILL bool both(__hip_bfloat162 a, __hip_bfloat162 b) { return one(a.x, b.x) && one(a.y, b.y); }
KERNELSET_BF16_COMPARED(__heq2, __hbeq2, __heq)
KERNELSET_BF16_COMPARED(__hne2, __hbne2, __hne)
KERNELSET_BF16_COMPARED(__hlt2, __hblt2, __hlt)
KERNELSET_BF16_COMPARED(__hle2, __hble2, __hle)
KERNELSET_BF16_COMPARED(__hgt2, __hbgt2, __hgt)
KERNELSET_BF16_COMPARED(__hge2, __hbge2, __hge)
#undef KERNELSET_BF16_COMPARED

KERNELSET_FILL __hip_bfloat162 __lowhigh2highlow(__hip_bfloat162 a) { return __hip_bfloat162(a.y, a.x); }
KERNELSET_FILL __hip_bfloat16 __hfma_relu(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c) {
  return __hmax(__hfma(a, b, c), __float2bfloat16(0.0f));
}
KERNELSET_FILL __hip_bfloat162 __hfma2_relu(__hip_bfloat162 a, __hip_bfloat162 b, __hip_bfloat162 c) {
  return __hmax2(__hfma2(a, b, c), __float2bfloat162_rn(0.0f));
}

#endif
