// Floating point of 4 and 6 bits (E2M1, E2M3, E3M2 of the OCP microscaling formats): no infinity and no NaN.
#ifndef KERNELSET_SMALL_FLOAT_H
#define KERNELSET_SMALL_FLOAT_H

namespace kernelset {

template <int Exponent, int Mantissa>
struct SmallFloat {
  static constexpr int kBias = (1 << (Exponent - 1)) - 1;
  static constexpr int kSign = 1 << (Exponent + Mantissa);
  static constexpr int kLargest = kSign - 1;

  __host__ __device__ static float value(int code) {
    int exponent = code >> Mantissa & ((1 << Exponent) - 1);
    int mantissa = code & ((1 << Mantissa) - 1);
    float size = exponent == 0 ? ldexpf(static_cast<float>(mantissa), 1 - kBias - Mantissa)
                               : ldexpf(static_cast<float>(mantissa | 1 << Mantissa), exponent - kBias - Mantissa);
    return code & kSign ? -size : size;
  }

  // to nearest, ties to even; what is too large, and NaN, becomes the largest number
  __host__ __device__ static unsigned char code(float value) {
    unsigned word;
    __builtin_memcpy(&word, &value, sizeof(word));
    if ((word & 0x7fffffffu) > 0x7f800000u) return static_cast<unsigned char>(kLargest);
    int sign = word >> 31 ? kSign : 0;
    float size = fabsf(value);
    if (size >= SmallFloat::value(kLargest)) return static_cast<unsigned char>(sign | kLargest);
    int exponent = static_cast<int>(word >> 23 & 0xffu) - 127;
    if (exponent < 1 - kBias) exponent = 1 - kBias;
    int found = (exponent + kBias - 1) * (1 << Mantissa) + static_cast<int>(rintf(ldexpf(size, Mantissa - exponent)));
    return static_cast<unsigned char>(sign | found);
  }
};

}  // namespace kernelset

#endif
