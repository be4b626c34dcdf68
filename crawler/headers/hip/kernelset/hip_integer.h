// Integer dot products, SIMD-in-a-word, and rounding variants of arithmetic that HIP lacks.
#ifndef KERNELSET_HIP_INTEGER_H
#define KERNELSET_HIP_INTEGER_H

namespace kernelset {

// applies an operation to each byte (or 16-bit part) of words, extended as `Part` says
template <class Part, class Apply>
__device__ inline unsigned each_part(unsigned a, unsigned b, Apply apply) {
  constexpr int bits = 8 * sizeof(Part);
  constexpr unsigned mask = (1u << bits) - 1u;
  unsigned result = 0;
#pragma unroll
  for (int shift = 0; shift < 32; shift += bits) {
    int part = apply(static_cast<int>(static_cast<Part>(a >> shift)), static_cast<int>(static_cast<Part>(b >> shift)));
    result |= (static_cast<unsigned>(part) & mask) << shift;
  }
  return result;
}

template <class Part>
__device__ inline int saturate(int value) {
  constexpr int low = std::numeric_limits<Part>::min();
  constexpr int high = std::numeric_limits<Part>::max();
  return value < low ? low : value > high ? high : value;
}

template <class PartA, class PartB, class Sum>
__device__ inline Sum dot4(unsigned a, unsigned b, Sum sum) {
#pragma unroll
  for (int shift = 0; shift < 32; shift += 8) {
    sum += static_cast<Sum>(static_cast<PartA>(a >> shift)) * static_cast<Sum>(static_cast<PartB>(b >> shift));
  }
  return sum;
}

template <class PartA, class PartB, class Sum>
__device__ inline Sum dot2(unsigned a, unsigned b, Sum sum) {
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    sum += static_cast<Sum>(static_cast<PartA>(a >> 16 * part)) * static_cast<Sum>(static_cast<PartB>(b >> 8 * part));
  }
  return sum;
}

}  // namespace kernelset

KERNELSET_FILL int __dp4a(int a, int b, int sum) { return kernelset::dot4<int8_t, int8_t>(a, b, sum); }
KERNELSET_FILL unsigned __dp4a(unsigned a, unsigned b, unsigned sum) {
  return kernelset::dot4<uint8_t, uint8_t>(a, b, sum);
}
KERNELSET_FILL int __dp4a(char4 a, char4 b, int sum) { return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
KERNELSET_FILL int __dp2a_lo(int a, int b, int sum) { return kernelset::dot2<int16_t, int8_t>(a, b, sum); }
KERNELSET_FILL int __dp2a_hi(int a, int b, int sum) { return kernelset::dot2<int16_t, int8_t>(a, b >> 16, sum); }
KERNELSET_FILL unsigned __dp2a_lo(unsigned a, unsigned b, unsigned sum) {
  return kernelset::dot2<uint16_t, uint8_t>(a, b, sum);
}
KERNELSET_FILL unsigned __dp2a_hi(unsigned a, unsigned b, unsigned sum) {
  return kernelset::dot2<uint16_t, uint8_t>(a, b >> 16, sum);
}

#define KERNELSET_PARTS(name, part, expression)                                      \
  KERNELSET_FILL unsigned name(unsigned a, unsigned b) {                             \
    return kernelset::each_part<part>(a, b, [](int a, int b) { return expression; }); \
  }
#define KERNELSET_PARTS_OF(width, sign, unsign)                                     \
  KERNELSET_PARTS(__vadd##width, unsign, a + b)                                     \
  KERNELSET_PARTS(__vsub##width, unsign, a - b)                                     \
  KERNELSET_PARTS(__vaddss##width, sign, kernelset::saturate<sign>(a + b))          \
  KERNELSET_PARTS(__vsubss##width, sign, kernelset::saturate<sign>(a - b))          \
  KERNELSET_PARTS(__vaddus##width, unsign, kernelset::saturate<unsign>(a + b))      \
  KERNELSET_PARTS(__vsubus##width, unsign, kernelset::saturate<unsign>(a - b))      \
  KERNELSET_PARTS(__vabsdiffu##width, unsign, a > b ? a - b : b - a)                \
  KERNELSET_PARTS(__vabsdiffs##width, sign, a > b ? a - b : b - a)                  \
  KERNELSET_PARTS(__vavgu##width, unsign, (a + b + 1) >> 1)                         \
  KERNELSET_PARTS(__vmaxs##width, sign, a > b ? a : b)                              \
  KERNELSET_PARTS(__vmaxu##width, unsign, a > b ? a : b)                            \
  KERNELSET_PARTS(__vmins##width, sign, a < b ? a : b)                              \
  KERNELSET_PARTS(__vminu##width, unsign, a < b ? a : b)                            \
  KERNELSET_PARTS(__vcmpeq##width, unsign, a == b ? -1 : 0)                         \
  KERNELSET_PARTS(__vcmpne##width, unsign, a != b ? -1 : 0)                         \
  KERNELSET_PARTS(__vcmpges##width, sign, a >= b ? -1 : 0)                          \
  KERNELSET_PARTS(__vcmpgeu##width, unsign, a >= b ? -1 : 0)                        \
  KERNELSET_PARTS(__vcmpgts##width, sign, a > b ? -1 : 0)                           \
  KERNELSET_PARTS(__vcmpgtu##width, unsign, a > b ? -1 : 0)                         \
  KERNELSET_PARTS(__vcmpltu##width, unsign, a < b ? -1 : 0)                         \
  KERNELSET_PARTS(__vseteq##width, unsign, a == b ? 1 : 0)                          \
  KERNELSET_PARTS(__vsetgtu##width, unsign, a > b ? 1 : 0)
KERNELSET_PARTS_OF(4, int8_t, uint8_t)
KERNELSET_PARTS_OF(2, int16_t, uint16_t)
#undef KERNELSET_PARTS_OF
#undef KERNELSET_PARTS

KERNELSET_FILL unsigned __vsadu4(unsigned a, unsigned b) {
  return kernelset::dot4<uint8_t, uint8_t>(__vabsdiffu4(a, b), 0x01010101u, 0u);
}

KERNELSET_FILL unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
KERNELSET_FILL unsigned umax(unsigned a, unsigned b) { return a > b ? a : b; }
KERNELSET_FILL long long llmin(long long a, long long b) { return a < b ? a : b; }
KERNELSET_FILL long long llmax(long long a, long long b) { return a > b ? a : b; }
KERNELSET_FILL unsigned long long ullmin(unsigned long long a, unsigned long long b) { return a < b ? a : b; }
KERNELSET_FILL unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a > b ? a : b; }

// of two kinds of integers HIP's older ones make a double, which indexes nothing
#define KERNELSET_MIXED(One, Two, Both)            \
  KERNELSET_FILL Both min(One first, Two second) { \
    const Both a = first, b = second;              \
    return a < b ? a : b;                          \
  }                                                \
  KERNELSET_FILL Both max(One first, Two second) { \
    const Both a = first, b = second;              \
    return a > b ? a : b;                          \
  }
KERNELSET_MIXED(int, unsigned, unsigned)
KERNELSET_MIXED(long, unsigned long, unsigned long)
KERNELSET_MIXED(unsigned long, long, unsigned long)
KERNELSET_MIXED(long long, unsigned long long, unsigned long long)
KERNELSET_MIXED(unsigned long long, long long, unsigned long long)
#undef KERNELSET_MIXED

KERNELSET_FILL double fdivide(double a, double b) { return a / b; }

#endif
