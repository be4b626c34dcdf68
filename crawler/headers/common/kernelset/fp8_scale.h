// Scales of 8 bits, powers of two from 2^-127 to 2^127 and NaN, which HIP has none of: they keep their names there.
// KS_FP8, KS_FP8_WORD, KS_BF16_RAW and KS_ROUND spell the types and words of a dialect.
// Rule: CUDA Math API, "FP8 Intrinsics", of e8m0.
#ifndef KERNELSET_FP8_SCALE_H
#define KERNELSET_FP8_SCALE_H

#define KS_SCALE static __host__ __device__ inline

KS_SCALE KS_FP8(fp8_storage_t) __nv_cvt_float_to_e8m0(float x, KS_FP8(saturation_t) saturation, KS_ROUND(Mode) rounding) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, x) & 0x7fffffffu;
  const unsigned int most = saturation == KS_FP8_WORD(SATFINITE) ? 0xfe : 0xff;
  if (bits > 0x7f800000u) return 0xff;
  if (bits == 0x7f800000u) return most;
  const bool nearest = rounding == KS_ROUND(Nearest) && (bits & 0x400000u);
  const bool up = rounding == KS_ROUND(PosInf) ? (bits & 0x7fffffu) != 0 : nearest;
  const unsigned int exponent = (bits >> 23) + up;
  return exponent > 0xfe ? most : exponent;
}
KS_SCALE KS_FP8(fp8_storage_t) __nv_cvt_bfloat16raw_to_e8m0(KS_BF16_RAW x, KS_FP8(saturation_t) saturation,
                                                            KS_ROUND(Mode) rounding) {
  return __nv_cvt_float_to_e8m0(__builtin_bit_cast(float, static_cast<unsigned int>(x.x) << 16), saturation, rounding);
}
// by way of a float that is rounded to odd, so that the second rounding sees what the first one left out
KS_SCALE KS_FP8(fp8_storage_t) __nv_cvt_double_to_e8m0(double x, KS_FP8(saturation_t) saturation, KS_ROUND(Mode) rounding) {
  const double size = x < 0 ? -x : x;
  const float nearest = static_cast<float>(size);
  unsigned int bits = __builtin_bit_cast(unsigned int, nearest);
  if (size < __builtin_inf() && static_cast<double>(nearest) != size) bits = (nearest > size ? bits - 1 : bits) | 1u;
  return __nv_cvt_float_to_e8m0(__builtin_bit_cast(float, bits), saturation, rounding);
}
KS_SCALE KS_BF16_RAW __nv_cvt_e8m0_to_bf16raw(KS_FP8(fp8_storage_t) x) {
  return KS_BF16_RAW{static_cast<unsigned short>(x == 0xff ? 0x7fff : x ? x << 7 : 0x40)};
}

struct __nv_fp8_e8m0 {
  KS_FP8(fp8_storage_t) __x;
  __nv_fp8_e8m0() = default;
  __host__ __device__ explicit __nv_fp8_e8m0(float value)
      : __x(__nv_cvt_float_to_e8m0(value, KS_FP8_WORD(SATFINITE), KS_ROUND(PosInf))) {}
  __host__ __device__ explicit operator float() const {
    return __builtin_bit_cast(float, static_cast<unsigned int>(__nv_cvt_e8m0_to_bf16raw(__x).x) << 16);
  }
};

#undef KS_SCALE
#endif
