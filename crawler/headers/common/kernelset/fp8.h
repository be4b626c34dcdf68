// 8-bit floating point by integer arithmetic: the OCP formats E4M3 and E5M2, and AMD's own, which have one NaN alone
// (the code of a negative zero), no infinity and a bias of one more.
#ifndef KERNELSET_FP8_H
#define KERNELSET_FP8_H

namespace kernelset {

template <int Exponent, int Mantissa, bool Fnuz = false>
struct Fp8 {
  static constexpr int kBias = (1 << (Exponent - 1)) - !Fnuz;
  static constexpr bool kHasInfinity = Exponent == 5 && !Fnuz;
  static constexpr unsigned char kNan = Fnuz ? 0x80 : 0x7f;
  static constexpr unsigned char kLargest = Fnuz ? 0x7f : kHasInfinity ? 0x7b : 0x7e;

  __host__ __device__ static float value(unsigned char code) {
    if (Fnuz && code == kNan) return __builtin_nanf("");
    int exponent = code >> Mantissa & ((1 << Exponent) - 1);
    int mantissa = code & ((1 << Mantissa) - 1);
    float size = exponent == 0 ? ldexpf(static_cast<float>(mantissa), 1 - kBias - Mantissa)
                               : ldexpf(static_cast<float>(mantissa | 1 << Mantissa), exponent - kBias - Mantissa);
    if (kHasInfinity && exponent == 31) size = mantissa ? __builtin_nanf("") : __builtin_huge_valf();
    if (!kHasInfinity && !Fnuz && (code & 0x7f) == kNan) size = __builtin_nanf("");
    return code & 0x80 ? -size : size;
  }

  // to nearest, ties to even; what is too large becomes the largest number, or infinity or NaN
  __host__ __device__ static unsigned char code(float value, bool saturate) {
    unsigned word;
    __builtin_memcpy(&word, &value, sizeof(word));
    auto sign = static_cast<unsigned char>(word >> 24 & 0x80u);
    if (Fnuz && (word & 0x7fffffffu) > 0x7f800000u) return kNan;
    if ((word & 0x7fffffffu) > 0x7f800000u) return sign | kNan;
    unsigned char overflow = saturate ? kLargest : kHasInfinity ? 0x7c : kNan;
    if ((word & 0x7fffffffu) >= 0x7f000000u) return Fnuz && !saturate ? kNan : sign | overflow;
    int exponent = static_cast<int>(word >> 23 & 0xffu) - 127;
    if (exponent < 1 - kBias) exponent = 1 - kBias;
    float size = ldexpf(fabsf(value), Mantissa - exponent);
    int found = (exponent + kBias - 1) * (1 << Mantissa) + static_cast<int>(rintf(size));
    if (Fnuz && (found == 0 || (found > kLargest && !saturate))) return found == 0 ? 0 : kNan;
    return sign | (found > kLargest ? overflow : static_cast<unsigned char>(found));
  }
};
using E4M3 = Fp8<4, 3>;
using E5M2 = Fp8<5, 2>;
using E4M3Fnuz = Fp8<4, 3, true>;
using E5M2Fnuz = Fp8<5, 2, true>;

}  // namespace kernelset

#endif
