// Inline assembly that is a plain function of its operands, by the names that the port gives it.
#ifndef KERNELSET_HIP_PTX_H
#define KERNELSET_HIP_PTX_H

#include <kernelset/fp8.h>
#include <kernelset/small_float.h>

namespace kernelset::ptx {

// pairs of small floats: codes to nearest, saturated, the first in the lower bits
struct E2M1 : SmallFloat<2, 1> {
  static constexpr int kBits = 4;
};
template <int Exponent, int Mantissa>
struct EightBits : Fp8<Exponent, Mantissa> {
  static constexpr int kBits = 8;
  __device__ static unsigned char code(float value) { return Fp8<Exponent, Mantissa>::code(value, true); }
};
using E4M3 = EightBits<4, 3>;
using E5M2 = EightBits<5, 2>;
template <class Number>
__device__ inline unsigned short codes_of(float low, float high) {
  return static_cast<unsigned short>(Number::code(low) | Number::code(high) << Number::kBits);
}
template <class Number>
__device__ inline unsigned short codes_of(__half2 pair) {
  return codes_of<Number>(__low2float(pair), __high2float(pair));
}
template <class Number>
__device__ inline __half2 halves_of(unsigned short codes) {
  constexpr int mask = (1 << Number::kBits) - 1;
  return __halves2half2(__float2half(Number::value(codes & mask)), __float2half(Number::value(codes >> Number::kBits & mask)));
}

// scales of 8 bits: powers of two from 2^-127, which a float holds as half its least normal one; infinity is the greatest
template <bool Up>
struct Scale {
  static constexpr int kBits = 8;
  __device__ static unsigned char code(float value) {
    unsigned bits;
    __builtin_memcpy(&bits, &value, sizeof(bits));
    bits &= 0x7fffffffu;
    const unsigned rest = bits & 0x7fffffu;
    if (bits > 0x7f800000u) return 0xffu;
    const unsigned exponent = (bits >> 23) + (Up && rest > (bits >> 23 ? 0u : 0x400000u) ? 1u : 0u);
    return exponent > 0xfeu ? 0xfeu : exponent;
  }
};
__device__ inline unsigned scales_of(unsigned short codes) {
  unsigned pair = 0;
#pragma unroll
  for (int at = 0; at < 2; ++at) {
    const unsigned code = codes >> 8 * at & 0xffu;
    pair |= (code == 0xffu ? 0x7fffu : code ? code << 7 : 0x40u) << 16 * at;
  }
  return pair;
}

// two integers saturated to so many bits, the first above the second, and above both what is left of a third
template <int bits, bool is_signed>
__device__ inline unsigned side_by_side(int high, int low, unsigned above) {
  constexpr int least = is_signed ? -(1 << (bits - 1)) : 0, most = (1 << (bits - is_signed)) - 1;
  constexpr unsigned mask = (1u << bits) - 1;
  high = high < least ? least : high > most ? most : high;
  low = low < least ? least : low > most ? most : low;
  const unsigned pair = (static_cast<unsigned>(high) & mask) << bits | (static_cast<unsigned>(low) & mask);
  if constexpr (bits == 16) return pair;
  else return above << 2 * bits | pair;
}

__device__ inline unsigned lane_id() { return __lane_id() & 31u; }
__device__ inline unsigned lanemask_eq() { return 1u << lane_id(); }
__device__ inline unsigned lanemask_lt() { return lanemask_eq() - 1u; }
__device__ inline unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
__device__ inline unsigned lanemask_gt() { return ~lanemask_le(); }
__device__ inline unsigned lanemask_ge() { return ~lanemask_lt(); }

template <class Word>
__device__ inline Word bfe(Word value, unsigned start, unsigned length) {
  constexpr unsigned bits = 8 * sizeof(Word);
  start &= 255u;
  length &= 255u;
  return start >= bits ? Word(0) : (value >> start) & (length >= bits ? ~Word(0) : (Word(1) << length) - 1);
}
template <class Word>
__device__ inline Word bfi(Word inserted, Word base, unsigned start, unsigned length) {
  constexpr unsigned bits = 8 * sizeof(Word);
  if (start >= bits) return base;
  Word mask = (length >= bits ? ~Word(0) : (Word(1) << length) - 1) << start;
  return (base & ~mask) | ((inserted << start) & mask);
}

__device__ inline unsigned prmt(unsigned low, unsigned high, unsigned selector) {
  unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  unsigned result = 0;
#pragma unroll
  for (int byte = 0; byte < 4; ++byte) {
    unsigned select = selector >> 4 * byte;
    unsigned chosen = static_cast<unsigned>(both >> 8 * (select & 7u)) & 255u;
    if (select & 8u) chosen = chosen & 128u ? 255u : 0u;
    result |= chosen << 8 * byte;
  }
  return result;
}

// of two words that are shifted as one the upper, or the lower; an amount beyond the width counts as it, or modulo it
template <bool Clamp>
__device__ inline unsigned funnel_left(unsigned low, unsigned high, unsigned amount) {
  amount = Clamp ? (amount < 32u ? amount : 32u) : amount & 31u;
  return static_cast<unsigned>(((static_cast<unsigned long long>(high) << 32 | low) << amount) >> 32);
}
template <bool Clamp>
__device__ inline unsigned funnel_right(unsigned low, unsigned high, unsigned amount) {
  amount = Clamp ? (amount < 32u ? amount : 32u) : amount & 31u;
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> amount);
}
template <class T>
__device__ inline T distance(T a, T b) { return static_cast<T>(a < b ? b - a : a - b); }

// what is not a number becomes 0
__device__ inline float saturate(float value) { return fminf(fmaxf(value, 0.f), 1.f); }

// factors of 24 bits: the upper or the lower 32 of the 48 bits of their product
__device__ inline long long low24(unsigned value) { return value & 0xffffffu; }
__device__ inline long long low24(int value) { return static_cast<int>(static_cast<unsigned>(value) << 8) >> 8; }
template <bool Upper, class T>
__device__ inline T product24(T a, T b) { return static_cast<T>(low24(a) * low24(b) >> (Upper ? 16 : 0)); }

// the position of the first bit that differs from the sign, from the lower end, or how far it is from the upper one
template <bool Amount, class T>
__device__ inline unsigned leading_bit(T value) {
  constexpr int width = 8 * sizeof(T);
  const unsigned long long bits = value < T(0) ? ~static_cast<unsigned long long>(value) : value;
  if (bits == 0) return 0xffffffffu;
  const unsigned position = 63 - __builtin_clzll(bits);
  return Amount ? width - 1 - position : position;
}
template <bool Clamp>
__device__ inline unsigned mask(unsigned start, unsigned length) {
  start = Clamp ? (start < 32u ? start : 32u) : start & 31u;
  length = Clamp ? (length < 32u ? length : 32u) : length & 31u;
  return static_cast<unsigned>(((1ull << length) - 1) << start);
}
template <bool Clamp, class T>
__device__ inline T extended(T value, unsigned width) {
  width = Clamp ? (width < 32u ? width : 32u) : width & 31u;
  if (width == 0) return 0;
  return static_cast<T>(static_cast<unsigned>(value) << (32 - width)) >> (32 - width);
}

// video: exact operations, then cut or saturated to the result
struct Add { __device__ static long long of(long long a, long long b) { return a + b; } };
struct Subtract { __device__ static long long of(long long a, long long b) { return a - b; } };
struct Distance { __device__ static long long of(long long a, long long b) { return a < b ? b - a : a - b; } };
struct Least { __device__ static long long of(long long a, long long b) { return a < b ? a : b; } };
struct Greatest { __device__ static long long of(long long a, long long b) { return a < b ? b : a; } };
struct Average { __device__ static long long of(long long a, long long b) { return (a + b + (a + b >= 0 ? 1 : 0)) >> 1; } };
__device__ inline long long saturated(long long value, int bits, bool is_signed) {
  const long long least = is_signed ? -(1ll << (bits - 1)) : 0, most = (1ll << (bits - is_signed)) - 1;
  return value < least ? least : value > most ? most : value;
}
template <class Operation, class Result, bool Saturate>
__device__ inline Result video(long long a, long long b) {
  const long long value = Operation::of(a, b);
  return static_cast<Result>(Saturate ? saturated(value, 32, Result(-1) < Result(0)) : value);
}
// each part of a word by itself, which `Sum` adds up
template <class Operation, int Parts, bool SignedResult, bool SignedA, bool SignedB, bool Saturate, bool Sum>
__device__ inline unsigned video_parts(unsigned a, unsigned b, unsigned c) {
  constexpr int bits = 32 / Parts;
  constexpr unsigned ones = (1u << bits) - 1;
  unsigned result = Sum ? c : 0;
#pragma unroll
  for (int at = 0; at < 32; at += bits) {
    const unsigned x = a >> at & ones, y = b >> at & ones;
    const long long first = SignedA ? static_cast<int>(x << (32 - bits)) >> (32 - bits) : static_cast<long long>(x);
    const long long second = SignedB ? static_cast<int>(y << (32 - bits)) >> (32 - bits) : static_cast<long long>(y);
    long long value = Operation::of(first, second);
    if (Saturate) value = saturated(value, bits, SignedResult);
    if (Sum) result += static_cast<unsigned>(value);
    else result |= (static_cast<unsigned>(value) & ones) << at;
  }
  return result;
}

// bit i of `table` is the result for the inputs whose bits are those of i
__device__ inline unsigned lop3(unsigned a, unsigned b, unsigned c, unsigned table) {
  unsigned result = 0;
  if (table & 0x01u) result |= ~a & ~b & ~c;
  if (table & 0x02u) result |= ~a & ~b & c;
  if (table & 0x04u) result |= ~a & b & ~c;
  if (table & 0x08u) result |= ~a & b & c;
  if (table & 0x10u) result |= a & ~b & ~c;
  if (table & 0x20u) result |= a & ~b & c;
  if (table & 0x40u) result |= a & b & ~c;
  if (table & 0x80u) result |= a & b & c;
  return result;
}

// two halves in a word
__device__ inline __half2 as_half2(unsigned word) {
  __half2 pair;
  __builtin_memcpy(&pair, &word, sizeof(pair));
  return pair;
}
__device__ inline unsigned as_word(__half2 pair) {
  unsigned word;
  __builtin_memcpy(&word, &pair, sizeof(word));
  return word;
}
__device__ inline unsigned add_f16x2(unsigned a, unsigned b) { return as_word(__hadd2(as_half2(a), as_half2(b))); }
__device__ inline unsigned sub_f16x2(unsigned a, unsigned b) { return as_word(__hsub2(as_half2(a), as_half2(b))); }
__device__ inline unsigned mul_f16x2(unsigned a, unsigned b) { return as_word(__hmul2(as_half2(a), as_half2(b))); }
__device__ inline unsigned fma_f16x2(unsigned a, unsigned b, unsigned c) {
  return as_word(__hfma2(as_half2(a), as_half2(b), as_half2(c)));
}

__device__ inline unsigned short half_bits(float x) { return __half_as_ushort(__float2half(x)); }
__device__ inline float half_value(unsigned short bits) { return __half2float(__ushort_as_half(bits)); }
// to nearest, ties to even; NaN is 0
__device__ inline short signed_byte(unsigned short bits) {
  const float value = half_value(bits);
  return value == value ? static_cast<short>(rintf(fminf(fmaxf(value, -128.f), 127.f))) : 0;
}

template <class T>
__device__ inline T reduce_add(T value, unsigned mask) {
  return __reduce_add_sync(mask, value);
}
template <class T>
__device__ inline T reduce_max(T value, unsigned mask) {
  return __reduce_max_sync(mask, value);
}
template <class T>
__device__ inline T reduce_min(T value, unsigned mask) {
  return __reduce_min_sync(mask, value);
}
__device__ inline long long clock() { return clock64(); }

__device__ inline float exp2(float x) { return exp2f(x); }
__device__ inline float log2(float x) { return log2f(x); }
__device__ inline float rsqrt(float x) { return rsqrtf(x); }
__device__ inline float reciprocal(float x) { return 1.0f / x; }
__device__ inline float tanh(float x) { return tanhf(x); }
__device__ inline float sqrt(float x) { return sqrtf(x); }

}  // namespace kernelset::ptx

#endif
