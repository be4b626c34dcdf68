// The types of PyTorch that device code names: half precision, complex, accessors, numeric helpers.
// One text for both dialects: it is included after <kernelset/cuda.cuh> or <kernelset/hip.h>.
// Rule: c10/util/Half.h, BFloat16.h, complex.h and ATen/core/TensorAccessor.h of PyTorch, by interface.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include <kernelset/fp8.h>

#ifndef C10_HOST_DEVICE
#define C10_HOST_DEVICE __host__ __device__
#endif
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define C10_RESTRICT __restrict__
#define C10_LIKELY(e) (__builtin_expect(static_cast<bool>(e), 1))
#define C10_UNLIKELY(e) (__builtin_expect(static_cast<bool>(e), 0))
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(a) __launch_bounds__(a)
#define C10_LAUNCH_BOUNDS_2(a, b) __launch_bounds__(a, b)
#define C10_MAX_THREADS_PER_BLOCK(v) (v)
#define C10_MIN_BLOCKS_PER_SM(t, b) (b)
#define C10_WARP_SIZE 32
#define C10_UNUSED __attribute__((unused))
#define C10_CLANG_DIAGNOSTIC_PUSH()
#define C10_CLANG_DIAGNOSTIC_POP()
#define C10_NODISCARD
#define C10_EXPORT
#define C10_API
#define TORCH_API
#define TORCH_CUDA_CPP_API
#define TORCH_CUDA_CU_API
#define GPU_LAMBDA __host__ __device__
#define CUDA_KERNEL_ASSERT(e) assert(e)
#define CUDA_KERNEL_ASSERT2(e) assert(e)
#define CUDA_LONG int64_t
#define ks_torch_inline __host__ __device__ inline __attribute__((always_inline))

#if defined(__CUDACC__) && !defined(__clang__) && !defined(KERNELSET_CPU)  // nvcc itself knows no _Float16
static ks_torch_inline unsigned short ks_torch_half_bits(float x) { return __half_as_ushort(__float2half_rn(x)); }
static ks_torch_inline float ks_torch_half_value(unsigned short x) { return __half2float(__ushort_as_half(x)); }
#else
static ks_torch_inline unsigned short ks_torch_half_bits(float x) {
  return __builtin_bit_cast(unsigned short, (_Float16)x);
}
static ks_torch_inline float ks_torch_half_value(unsigned short x) { return (float)__builtin_bit_cast(_Float16, x); }
#endif
static ks_torch_inline unsigned short ks_torch_bfloat16_bits(float x) {
  unsigned int bits = __builtin_bit_cast(unsigned int, x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fc0;
  return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
static ks_torch_inline float ks_torch_bfloat16_value(unsigned short x) {
  return __builtin_bit_cast(float, (unsigned int)x << 16);
}
// 8-bit floats: `E` exponent bits, `B` bias; the all-ones pattern is NaN (the "fn" formats of OCP FP8 and its kin)
template <int E, int B, bool Infinite> static ks_torch_inline float ks_torch_f8_value(unsigned char x) {
  const int mantissa_bits = 7 - E, sign = x >> 7, exponent = (x >> mantissa_bits) & ((1 << E) - 1);
  const int mantissa = x & ((1 << mantissa_bits) - 1);
  float v;
  if (Infinite && exponent == (1 << E) - 1) v = mantissa ? __builtin_nanf("") : __builtin_huge_valf();
  else if (!Infinite && (x & 0x7f) == 0x7f) v = __builtin_nanf("");
  else if (exponent == 0) v = (float)mantissa * __builtin_bit_cast(float, (unsigned int)(127 + 1 - B - mantissa_bits) << 23);
  else v = (1.0f + (float)mantissa / (float)(1 << mantissa_bits)) * __builtin_bit_cast(float, (unsigned int)(127 + exponent - B) << 23);
  return sign ? -v : v;
}
template <int E, int B, bool Infinite> static ks_torch_inline unsigned char ks_torch_f8_bits(float x) {
  const unsigned char sign = (__builtin_bit_cast(unsigned int, x) >> 31) << 7;
  const float wanted = x < 0 ? -x : x;
  if (x != x) return sign | 0x7f;
  unsigned char low = 0, high = Infinite ? (((1 << E) - 1) << (7 - E)) - 1 : 0x7e;
  if (wanted >= ks_torch_f8_value<E, B, Infinite>(high)) return sign | high;
  while (high - low > 1) {
    const unsigned char middle = (low + high) / 2;
    if (ks_torch_f8_value<E, B, Infinite>(middle) <= wanted) low = middle; else high = middle;
  }
  const float below = wanted - ks_torch_f8_value<E, B, Infinite>(low), above = ks_torch_f8_value<E, B, Infinite>(high) - wanted;
  return sign | (below < above || (below == above && !(low & 1)) ? low : high);
}
static ks_torch_inline unsigned char ks_torch_e8m0_bits(float x) {  // to the nearest, ties upwards
  const unsigned int bits = __builtin_bit_cast(unsigned int, x);
  const unsigned int exponent = (bits >> 23) & 0xff;
  if (exponent >= 0xfe) return (unsigned char)exponent;
  return (unsigned char)(exponent + ((bits & 0x400000u) && ((bits & 0x3fffffu) || exponent > 0)));
}
namespace c10 {


struct alignas(2) Half {
  unsigned short x;
  struct from_bits_t {};
  static constexpr C10_HOST_DEVICE from_bits_t from_bits() { return from_bits_t(); }
  Half() = default;
  constexpr C10_HOST_DEVICE Half(unsigned short bits, from_bits_t) : x(bits) {}
  ks_torch_inline Half(float v) : x(ks_torch_half_bits(v)) {}
  ks_torch_inline operator float() const { return ks_torch_half_value(x); }
#ifdef KS_NATIVE_HALF
  ks_torch_inline Half(const __half &v) : x(__builtin_bit_cast(unsigned short, v)) {}
  ks_torch_inline operator __half() const { return __builtin_bit_cast(__half, x); }
#endif
};
ks_torch_inline Half operator+(const Half &a, const Half &b) { return static_cast<float>(a) + static_cast<float>(b); }
ks_torch_inline Half &operator+=(Half &a, const Half &b) { return a = a + b; }
ks_torch_inline float operator+(Half a, float b) { return static_cast<float>(static_cast<float>(a)) + b; }
ks_torch_inline float operator+(float a, Half b) { return a + static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator+(Half a, double b) { return static_cast<double>(static_cast<float>(a)) + b; }
ks_torch_inline double operator+(double a, Half b) { return a + static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator+=(float &a, const Half &b) { return a = a + static_cast<float>(b); }
ks_torch_inline Half operator+(Half a, int b) { return a + Half(static_cast<float>(b)); }
ks_torch_inline Half operator+(int a, Half b) { return Half(static_cast<float>(a)) + b; }
ks_torch_inline Half operator+(Half a, int64_t b) { return a + Half(static_cast<float>(b)); }
ks_torch_inline Half operator+(int64_t a, Half b) { return Half(static_cast<float>(a)) + b; }
ks_torch_inline Half operator-(const Half &a, const Half &b) { return static_cast<float>(a) - static_cast<float>(b); }
ks_torch_inline Half &operator-=(Half &a, const Half &b) { return a = a - b; }
ks_torch_inline float operator-(Half a, float b) { return static_cast<float>(static_cast<float>(a)) - b; }
ks_torch_inline float operator-(float a, Half b) { return a - static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator-(Half a, double b) { return static_cast<double>(static_cast<float>(a)) - b; }
ks_torch_inline double operator-(double a, Half b) { return a - static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator-=(float &a, const Half &b) { return a = a - static_cast<float>(b); }
ks_torch_inline Half operator-(Half a, int b) { return a - Half(static_cast<float>(b)); }
ks_torch_inline Half operator-(int a, Half b) { return Half(static_cast<float>(a)) - b; }
ks_torch_inline Half operator-(Half a, int64_t b) { return a - Half(static_cast<float>(b)); }
ks_torch_inline Half operator-(int64_t a, Half b) { return Half(static_cast<float>(a)) - b; }
ks_torch_inline Half operator*(const Half &a, const Half &b) { return static_cast<float>(a) * static_cast<float>(b); }
ks_torch_inline Half &operator*=(Half &a, const Half &b) { return a = a * b; }
ks_torch_inline float operator*(Half a, float b) { return static_cast<float>(static_cast<float>(a)) * b; }
ks_torch_inline float operator*(float a, Half b) { return a * static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator*(Half a, double b) { return static_cast<double>(static_cast<float>(a)) * b; }
ks_torch_inline double operator*(double a, Half b) { return a * static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator*=(float &a, const Half &b) { return a = a * static_cast<float>(b); }
ks_torch_inline Half operator*(Half a, int b) { return a * Half(static_cast<float>(b)); }
ks_torch_inline Half operator*(int a, Half b) { return Half(static_cast<float>(a)) * b; }
ks_torch_inline Half operator*(Half a, int64_t b) { return a * Half(static_cast<float>(b)); }
ks_torch_inline Half operator*(int64_t a, Half b) { return Half(static_cast<float>(a)) * b; }
ks_torch_inline Half operator/(const Half &a, const Half &b) { return static_cast<float>(a) / static_cast<float>(b); }
ks_torch_inline Half &operator/=(Half &a, const Half &b) { return a = a / b; }
ks_torch_inline float operator/(Half a, float b) { return static_cast<float>(static_cast<float>(a)) / b; }
ks_torch_inline float operator/(float a, Half b) { return a / static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator/(Half a, double b) { return static_cast<double>(static_cast<float>(a)) / b; }
ks_torch_inline double operator/(double a, Half b) { return a / static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator/=(float &a, const Half &b) { return a = a / static_cast<float>(b); }
ks_torch_inline Half operator/(Half a, int b) { return a / Half(static_cast<float>(b)); }
ks_torch_inline Half operator/(int a, Half b) { return Half(static_cast<float>(a)) / b; }
ks_torch_inline Half operator/(Half a, int64_t b) { return a / Half(static_cast<float>(b)); }
ks_torch_inline Half operator/(int64_t a, Half b) { return Half(static_cast<float>(a)) / b; }
ks_torch_inline Half operator-(const Half &a) { return Half(-static_cast<float>(a)); }

struct alignas(2) BFloat16 {
  unsigned short x;
  struct from_bits_t {};
  static constexpr C10_HOST_DEVICE from_bits_t from_bits() { return from_bits_t(); }
  BFloat16() = default;
  constexpr C10_HOST_DEVICE BFloat16(unsigned short bits, from_bits_t) : x(bits) {}
  ks_torch_inline BFloat16(float v) : x(ks_torch_bfloat16_bits(v)) {}
  ks_torch_inline operator float() const { return ks_torch_bfloat16_value(x); }
#ifdef KS_NATIVE_BFLOAT16
  ks_torch_inline BFloat16(const __nv_bfloat16 &v) : x(__builtin_bit_cast(unsigned short, v)) {}
  ks_torch_inline explicit operator __nv_bfloat16() const { return __builtin_bit_cast(__nv_bfloat16, x); }
#endif
};
ks_torch_inline BFloat16 operator+(const BFloat16 &a, const BFloat16 &b) { return static_cast<float>(a) + static_cast<float>(b); }
ks_torch_inline BFloat16 &operator+=(BFloat16 &a, const BFloat16 &b) { return a = a + b; }
ks_torch_inline float operator+(BFloat16 a, float b) { return static_cast<float>(static_cast<float>(a)) + b; }
ks_torch_inline float operator+(float a, BFloat16 b) { return a + static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator+(BFloat16 a, double b) { return static_cast<double>(static_cast<float>(a)) + b; }
ks_torch_inline double operator+(double a, BFloat16 b) { return a + static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator+=(float &a, const BFloat16 &b) { return a = a + static_cast<float>(b); }
ks_torch_inline BFloat16 operator+(BFloat16 a, int b) { return a + BFloat16(static_cast<float>(b)); }
ks_torch_inline BFloat16 operator+(int a, BFloat16 b) { return BFloat16(static_cast<float>(a)) + b; }
ks_torch_inline BFloat16 operator+(BFloat16 a, int64_t b) { return a + BFloat16(static_cast<float>(b)); }
ks_torch_inline BFloat16 operator+(int64_t a, BFloat16 b) { return BFloat16(static_cast<float>(a)) + b; }
ks_torch_inline BFloat16 operator-(const BFloat16 &a, const BFloat16 &b) { return static_cast<float>(a) - static_cast<float>(b); }
ks_torch_inline BFloat16 &operator-=(BFloat16 &a, const BFloat16 &b) { return a = a - b; }
ks_torch_inline float operator-(BFloat16 a, float b) { return static_cast<float>(static_cast<float>(a)) - b; }
ks_torch_inline float operator-(float a, BFloat16 b) { return a - static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator-(BFloat16 a, double b) { return static_cast<double>(static_cast<float>(a)) - b; }
ks_torch_inline double operator-(double a, BFloat16 b) { return a - static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator-=(float &a, const BFloat16 &b) { return a = a - static_cast<float>(b); }
ks_torch_inline BFloat16 operator-(BFloat16 a, int b) { return a - BFloat16(static_cast<float>(b)); }
ks_torch_inline BFloat16 operator-(int a, BFloat16 b) { return BFloat16(static_cast<float>(a)) - b; }
ks_torch_inline BFloat16 operator-(BFloat16 a, int64_t b) { return a - BFloat16(static_cast<float>(b)); }
ks_torch_inline BFloat16 operator-(int64_t a, BFloat16 b) { return BFloat16(static_cast<float>(a)) - b; }
ks_torch_inline BFloat16 operator*(const BFloat16 &a, const BFloat16 &b) { return static_cast<float>(a) * static_cast<float>(b); }
ks_torch_inline BFloat16 &operator*=(BFloat16 &a, const BFloat16 &b) { return a = a * b; }
ks_torch_inline float operator*(BFloat16 a, float b) { return static_cast<float>(static_cast<float>(a)) * b; }
ks_torch_inline float operator*(float a, BFloat16 b) { return a * static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator*(BFloat16 a, double b) { return static_cast<double>(static_cast<float>(a)) * b; }
ks_torch_inline double operator*(double a, BFloat16 b) { return a * static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator*=(float &a, const BFloat16 &b) { return a = a * static_cast<float>(b); }
ks_torch_inline BFloat16 operator*(BFloat16 a, int b) { return a * BFloat16(static_cast<float>(b)); }
ks_torch_inline BFloat16 operator*(int a, BFloat16 b) { return BFloat16(static_cast<float>(a)) * b; }
ks_torch_inline BFloat16 operator*(BFloat16 a, int64_t b) { return a * BFloat16(static_cast<float>(b)); }
ks_torch_inline BFloat16 operator*(int64_t a, BFloat16 b) { return BFloat16(static_cast<float>(a)) * b; }
ks_torch_inline BFloat16 operator/(const BFloat16 &a, const BFloat16 &b) { return static_cast<float>(a) / static_cast<float>(b); }
ks_torch_inline BFloat16 &operator/=(BFloat16 &a, const BFloat16 &b) { return a = a / b; }
ks_torch_inline float operator/(BFloat16 a, float b) { return static_cast<float>(static_cast<float>(a)) / b; }
ks_torch_inline float operator/(float a, BFloat16 b) { return a / static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator/(BFloat16 a, double b) { return static_cast<double>(static_cast<float>(a)) / b; }
ks_torch_inline double operator/(double a, BFloat16 b) { return a / static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator/=(float &a, const BFloat16 &b) { return a = a / static_cast<float>(b); }
ks_torch_inline BFloat16 operator/(BFloat16 a, int b) { return a / BFloat16(static_cast<float>(b)); }
ks_torch_inline BFloat16 operator/(int a, BFloat16 b) { return BFloat16(static_cast<float>(a)) / b; }
ks_torch_inline BFloat16 operator/(BFloat16 a, int64_t b) { return a / BFloat16(static_cast<float>(b)); }
ks_torch_inline BFloat16 operator/(int64_t a, BFloat16 b) { return BFloat16(static_cast<float>(a)) / b; }
ks_torch_inline BFloat16 operator-(const BFloat16 &a) { return BFloat16(-static_cast<float>(a)); }

struct alignas(1) Float8_e4m3fn {
  unsigned char x;
  struct from_bits_t {};
  static constexpr C10_HOST_DEVICE from_bits_t from_bits() { return from_bits_t(); }
  Float8_e4m3fn() = default;
  constexpr C10_HOST_DEVICE Float8_e4m3fn(unsigned char bits, from_bits_t) : x(bits) {}
  ks_torch_inline Float8_e4m3fn(float v) : x(ks_torch_f8_bits<4, 7, false>(v)) {}
  ks_torch_inline operator float() const { return ks_torch_f8_value<4, 7, false>(x); }
};
ks_torch_inline Float8_e4m3fn operator+(const Float8_e4m3fn &a, const Float8_e4m3fn &b) { return static_cast<float>(a) + static_cast<float>(b); }
ks_torch_inline Float8_e4m3fn &operator+=(Float8_e4m3fn &a, const Float8_e4m3fn &b) { return a = a + b; }
ks_torch_inline float operator+(Float8_e4m3fn a, float b) { return static_cast<float>(static_cast<float>(a)) + b; }
ks_torch_inline float operator+(float a, Float8_e4m3fn b) { return a + static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator+(Float8_e4m3fn a, double b) { return static_cast<double>(static_cast<float>(a)) + b; }
ks_torch_inline double operator+(double a, Float8_e4m3fn b) { return a + static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator+=(float &a, const Float8_e4m3fn &b) { return a = a + static_cast<float>(b); }
ks_torch_inline Float8_e4m3fn operator+(Float8_e4m3fn a, int b) { return a + Float8_e4m3fn(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fn operator+(int a, Float8_e4m3fn b) { return Float8_e4m3fn(static_cast<float>(a)) + b; }
ks_torch_inline Float8_e4m3fn operator+(Float8_e4m3fn a, int64_t b) { return a + Float8_e4m3fn(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fn operator+(int64_t a, Float8_e4m3fn b) { return Float8_e4m3fn(static_cast<float>(a)) + b; }
ks_torch_inline Float8_e4m3fn operator-(const Float8_e4m3fn &a, const Float8_e4m3fn &b) { return static_cast<float>(a) - static_cast<float>(b); }
ks_torch_inline Float8_e4m3fn &operator-=(Float8_e4m3fn &a, const Float8_e4m3fn &b) { return a = a - b; }
ks_torch_inline float operator-(Float8_e4m3fn a, float b) { return static_cast<float>(static_cast<float>(a)) - b; }
ks_torch_inline float operator-(float a, Float8_e4m3fn b) { return a - static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator-(Float8_e4m3fn a, double b) { return static_cast<double>(static_cast<float>(a)) - b; }
ks_torch_inline double operator-(double a, Float8_e4m3fn b) { return a - static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator-=(float &a, const Float8_e4m3fn &b) { return a = a - static_cast<float>(b); }
ks_torch_inline Float8_e4m3fn operator-(Float8_e4m3fn a, int b) { return a - Float8_e4m3fn(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fn operator-(int a, Float8_e4m3fn b) { return Float8_e4m3fn(static_cast<float>(a)) - b; }
ks_torch_inline Float8_e4m3fn operator-(Float8_e4m3fn a, int64_t b) { return a - Float8_e4m3fn(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fn operator-(int64_t a, Float8_e4m3fn b) { return Float8_e4m3fn(static_cast<float>(a)) - b; }
ks_torch_inline Float8_e4m3fn operator*(const Float8_e4m3fn &a, const Float8_e4m3fn &b) { return static_cast<float>(a) * static_cast<float>(b); }
ks_torch_inline Float8_e4m3fn &operator*=(Float8_e4m3fn &a, const Float8_e4m3fn &b) { return a = a * b; }
ks_torch_inline float operator*(Float8_e4m3fn a, float b) { return static_cast<float>(static_cast<float>(a)) * b; }
ks_torch_inline float operator*(float a, Float8_e4m3fn b) { return a * static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator*(Float8_e4m3fn a, double b) { return static_cast<double>(static_cast<float>(a)) * b; }
ks_torch_inline double operator*(double a, Float8_e4m3fn b) { return a * static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator*=(float &a, const Float8_e4m3fn &b) { return a = a * static_cast<float>(b); }
ks_torch_inline Float8_e4m3fn operator*(Float8_e4m3fn a, int b) { return a * Float8_e4m3fn(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fn operator*(int a, Float8_e4m3fn b) { return Float8_e4m3fn(static_cast<float>(a)) * b; }
ks_torch_inline Float8_e4m3fn operator*(Float8_e4m3fn a, int64_t b) { return a * Float8_e4m3fn(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fn operator*(int64_t a, Float8_e4m3fn b) { return Float8_e4m3fn(static_cast<float>(a)) * b; }
ks_torch_inline Float8_e4m3fn operator/(const Float8_e4m3fn &a, const Float8_e4m3fn &b) { return static_cast<float>(a) / static_cast<float>(b); }
ks_torch_inline Float8_e4m3fn &operator/=(Float8_e4m3fn &a, const Float8_e4m3fn &b) { return a = a / b; }
ks_torch_inline float operator/(Float8_e4m3fn a, float b) { return static_cast<float>(static_cast<float>(a)) / b; }
ks_torch_inline float operator/(float a, Float8_e4m3fn b) { return a / static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator/(Float8_e4m3fn a, double b) { return static_cast<double>(static_cast<float>(a)) / b; }
ks_torch_inline double operator/(double a, Float8_e4m3fn b) { return a / static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator/=(float &a, const Float8_e4m3fn &b) { return a = a / static_cast<float>(b); }
ks_torch_inline Float8_e4m3fn operator/(Float8_e4m3fn a, int b) { return a / Float8_e4m3fn(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fn operator/(int a, Float8_e4m3fn b) { return Float8_e4m3fn(static_cast<float>(a)) / b; }
ks_torch_inline Float8_e4m3fn operator/(Float8_e4m3fn a, int64_t b) { return a / Float8_e4m3fn(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fn operator/(int64_t a, Float8_e4m3fn b) { return Float8_e4m3fn(static_cast<float>(a)) / b; }
ks_torch_inline Float8_e4m3fn operator-(const Float8_e4m3fn &a) { return Float8_e4m3fn(-static_cast<float>(a)); }

struct alignas(1) Float8_e5m2 {
  unsigned char x;
  struct from_bits_t {};
  static constexpr C10_HOST_DEVICE from_bits_t from_bits() { return from_bits_t(); }
  Float8_e5m2() = default;
  constexpr C10_HOST_DEVICE Float8_e5m2(unsigned char bits, from_bits_t) : x(bits) {}
  ks_torch_inline Float8_e5m2(float v) : x(ks_torch_f8_bits<5, 15, true>(v)) {}
  ks_torch_inline operator float() const { return ks_torch_f8_value<5, 15, true>(x); }
};
ks_torch_inline Float8_e5m2 operator+(const Float8_e5m2 &a, const Float8_e5m2 &b) { return static_cast<float>(a) + static_cast<float>(b); }
ks_torch_inline Float8_e5m2 &operator+=(Float8_e5m2 &a, const Float8_e5m2 &b) { return a = a + b; }
ks_torch_inline float operator+(Float8_e5m2 a, float b) { return static_cast<float>(static_cast<float>(a)) + b; }
ks_torch_inline float operator+(float a, Float8_e5m2 b) { return a + static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator+(Float8_e5m2 a, double b) { return static_cast<double>(static_cast<float>(a)) + b; }
ks_torch_inline double operator+(double a, Float8_e5m2 b) { return a + static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator+=(float &a, const Float8_e5m2 &b) { return a = a + static_cast<float>(b); }
ks_torch_inline Float8_e5m2 operator+(Float8_e5m2 a, int b) { return a + Float8_e5m2(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2 operator+(int a, Float8_e5m2 b) { return Float8_e5m2(static_cast<float>(a)) + b; }
ks_torch_inline Float8_e5m2 operator+(Float8_e5m2 a, int64_t b) { return a + Float8_e5m2(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2 operator+(int64_t a, Float8_e5m2 b) { return Float8_e5m2(static_cast<float>(a)) + b; }
ks_torch_inline Float8_e5m2 operator-(const Float8_e5m2 &a, const Float8_e5m2 &b) { return static_cast<float>(a) - static_cast<float>(b); }
ks_torch_inline Float8_e5m2 &operator-=(Float8_e5m2 &a, const Float8_e5m2 &b) { return a = a - b; }
ks_torch_inline float operator-(Float8_e5m2 a, float b) { return static_cast<float>(static_cast<float>(a)) - b; }
ks_torch_inline float operator-(float a, Float8_e5m2 b) { return a - static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator-(Float8_e5m2 a, double b) { return static_cast<double>(static_cast<float>(a)) - b; }
ks_torch_inline double operator-(double a, Float8_e5m2 b) { return a - static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator-=(float &a, const Float8_e5m2 &b) { return a = a - static_cast<float>(b); }
ks_torch_inline Float8_e5m2 operator-(Float8_e5m2 a, int b) { return a - Float8_e5m2(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2 operator-(int a, Float8_e5m2 b) { return Float8_e5m2(static_cast<float>(a)) - b; }
ks_torch_inline Float8_e5m2 operator-(Float8_e5m2 a, int64_t b) { return a - Float8_e5m2(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2 operator-(int64_t a, Float8_e5m2 b) { return Float8_e5m2(static_cast<float>(a)) - b; }
ks_torch_inline Float8_e5m2 operator*(const Float8_e5m2 &a, const Float8_e5m2 &b) { return static_cast<float>(a) * static_cast<float>(b); }
ks_torch_inline Float8_e5m2 &operator*=(Float8_e5m2 &a, const Float8_e5m2 &b) { return a = a * b; }
ks_torch_inline float operator*(Float8_e5m2 a, float b) { return static_cast<float>(static_cast<float>(a)) * b; }
ks_torch_inline float operator*(float a, Float8_e5m2 b) { return a * static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator*(Float8_e5m2 a, double b) { return static_cast<double>(static_cast<float>(a)) * b; }
ks_torch_inline double operator*(double a, Float8_e5m2 b) { return a * static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator*=(float &a, const Float8_e5m2 &b) { return a = a * static_cast<float>(b); }
ks_torch_inline Float8_e5m2 operator*(Float8_e5m2 a, int b) { return a * Float8_e5m2(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2 operator*(int a, Float8_e5m2 b) { return Float8_e5m2(static_cast<float>(a)) * b; }
ks_torch_inline Float8_e5m2 operator*(Float8_e5m2 a, int64_t b) { return a * Float8_e5m2(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2 operator*(int64_t a, Float8_e5m2 b) { return Float8_e5m2(static_cast<float>(a)) * b; }
ks_torch_inline Float8_e5m2 operator/(const Float8_e5m2 &a, const Float8_e5m2 &b) { return static_cast<float>(a) / static_cast<float>(b); }
ks_torch_inline Float8_e5m2 &operator/=(Float8_e5m2 &a, const Float8_e5m2 &b) { return a = a / b; }
ks_torch_inline float operator/(Float8_e5m2 a, float b) { return static_cast<float>(static_cast<float>(a)) / b; }
ks_torch_inline float operator/(float a, Float8_e5m2 b) { return a / static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator/(Float8_e5m2 a, double b) { return static_cast<double>(static_cast<float>(a)) / b; }
ks_torch_inline double operator/(double a, Float8_e5m2 b) { return a / static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator/=(float &a, const Float8_e5m2 &b) { return a = a / static_cast<float>(b); }
ks_torch_inline Float8_e5m2 operator/(Float8_e5m2 a, int b) { return a / Float8_e5m2(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2 operator/(int a, Float8_e5m2 b) { return Float8_e5m2(static_cast<float>(a)) / b; }
ks_torch_inline Float8_e5m2 operator/(Float8_e5m2 a, int64_t b) { return a / Float8_e5m2(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2 operator/(int64_t a, Float8_e5m2 b) { return Float8_e5m2(static_cast<float>(a)) / b; }
ks_torch_inline Float8_e5m2 operator-(const Float8_e5m2 &a) { return Float8_e5m2(-static_cast<float>(a)); }

struct alignas(1) Float8_e4m3fnuz {
  unsigned char x;
  struct from_bits_t {};
  static constexpr C10_HOST_DEVICE from_bits_t from_bits() { return from_bits_t(); }
  Float8_e4m3fnuz() = default;
  constexpr C10_HOST_DEVICE Float8_e4m3fnuz(unsigned char bits, from_bits_t) : x(bits) {}
  ks_torch_inline Float8_e4m3fnuz(float v) : x(kernelset::E4M3Fnuz::code(v, false)) {}
  ks_torch_inline operator float() const { return kernelset::E4M3Fnuz::value(x); }
};
ks_torch_inline Float8_e4m3fnuz operator+(const Float8_e4m3fnuz &a, const Float8_e4m3fnuz &b) { return static_cast<float>(a) + static_cast<float>(b); }
ks_torch_inline Float8_e4m3fnuz &operator+=(Float8_e4m3fnuz &a, const Float8_e4m3fnuz &b) { return a = a + b; }
ks_torch_inline float operator+(Float8_e4m3fnuz a, float b) { return static_cast<float>(static_cast<float>(a)) + b; }
ks_torch_inline float operator+(float a, Float8_e4m3fnuz b) { return a + static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator+(Float8_e4m3fnuz a, double b) { return static_cast<double>(static_cast<float>(a)) + b; }
ks_torch_inline double operator+(double a, Float8_e4m3fnuz b) { return a + static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator+=(float &a, const Float8_e4m3fnuz &b) { return a = a + static_cast<float>(b); }
ks_torch_inline Float8_e4m3fnuz operator+(Float8_e4m3fnuz a, int b) { return a + Float8_e4m3fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fnuz operator+(int a, Float8_e4m3fnuz b) { return Float8_e4m3fnuz(static_cast<float>(a)) + b; }
ks_torch_inline Float8_e4m3fnuz operator+(Float8_e4m3fnuz a, int64_t b) { return a + Float8_e4m3fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fnuz operator+(int64_t a, Float8_e4m3fnuz b) { return Float8_e4m3fnuz(static_cast<float>(a)) + b; }
ks_torch_inline Float8_e4m3fnuz operator-(const Float8_e4m3fnuz &a, const Float8_e4m3fnuz &b) { return static_cast<float>(a) - static_cast<float>(b); }
ks_torch_inline Float8_e4m3fnuz &operator-=(Float8_e4m3fnuz &a, const Float8_e4m3fnuz &b) { return a = a - b; }
ks_torch_inline float operator-(Float8_e4m3fnuz a, float b) { return static_cast<float>(static_cast<float>(a)) - b; }
ks_torch_inline float operator-(float a, Float8_e4m3fnuz b) { return a - static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator-(Float8_e4m3fnuz a, double b) { return static_cast<double>(static_cast<float>(a)) - b; }
ks_torch_inline double operator-(double a, Float8_e4m3fnuz b) { return a - static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator-=(float &a, const Float8_e4m3fnuz &b) { return a = a - static_cast<float>(b); }
ks_torch_inline Float8_e4m3fnuz operator-(Float8_e4m3fnuz a, int b) { return a - Float8_e4m3fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fnuz operator-(int a, Float8_e4m3fnuz b) { return Float8_e4m3fnuz(static_cast<float>(a)) - b; }
ks_torch_inline Float8_e4m3fnuz operator-(Float8_e4m3fnuz a, int64_t b) { return a - Float8_e4m3fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fnuz operator-(int64_t a, Float8_e4m3fnuz b) { return Float8_e4m3fnuz(static_cast<float>(a)) - b; }
ks_torch_inline Float8_e4m3fnuz operator*(const Float8_e4m3fnuz &a, const Float8_e4m3fnuz &b) { return static_cast<float>(a) * static_cast<float>(b); }
ks_torch_inline Float8_e4m3fnuz &operator*=(Float8_e4m3fnuz &a, const Float8_e4m3fnuz &b) { return a = a * b; }
ks_torch_inline float operator*(Float8_e4m3fnuz a, float b) { return static_cast<float>(static_cast<float>(a)) * b; }
ks_torch_inline float operator*(float a, Float8_e4m3fnuz b) { return a * static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator*(Float8_e4m3fnuz a, double b) { return static_cast<double>(static_cast<float>(a)) * b; }
ks_torch_inline double operator*(double a, Float8_e4m3fnuz b) { return a * static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator*=(float &a, const Float8_e4m3fnuz &b) { return a = a * static_cast<float>(b); }
ks_torch_inline Float8_e4m3fnuz operator*(Float8_e4m3fnuz a, int b) { return a * Float8_e4m3fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fnuz operator*(int a, Float8_e4m3fnuz b) { return Float8_e4m3fnuz(static_cast<float>(a)) * b; }
ks_torch_inline Float8_e4m3fnuz operator*(Float8_e4m3fnuz a, int64_t b) { return a * Float8_e4m3fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fnuz operator*(int64_t a, Float8_e4m3fnuz b) { return Float8_e4m3fnuz(static_cast<float>(a)) * b; }
ks_torch_inline Float8_e4m3fnuz operator/(const Float8_e4m3fnuz &a, const Float8_e4m3fnuz &b) { return static_cast<float>(a) / static_cast<float>(b); }
ks_torch_inline Float8_e4m3fnuz &operator/=(Float8_e4m3fnuz &a, const Float8_e4m3fnuz &b) { return a = a / b; }
ks_torch_inline float operator/(Float8_e4m3fnuz a, float b) { return static_cast<float>(static_cast<float>(a)) / b; }
ks_torch_inline float operator/(float a, Float8_e4m3fnuz b) { return a / static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator/(Float8_e4m3fnuz a, double b) { return static_cast<double>(static_cast<float>(a)) / b; }
ks_torch_inline double operator/(double a, Float8_e4m3fnuz b) { return a / static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator/=(float &a, const Float8_e4m3fnuz &b) { return a = a / static_cast<float>(b); }
ks_torch_inline Float8_e4m3fnuz operator/(Float8_e4m3fnuz a, int b) { return a / Float8_e4m3fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fnuz operator/(int a, Float8_e4m3fnuz b) { return Float8_e4m3fnuz(static_cast<float>(a)) / b; }
ks_torch_inline Float8_e4m3fnuz operator/(Float8_e4m3fnuz a, int64_t b) { return a / Float8_e4m3fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e4m3fnuz operator/(int64_t a, Float8_e4m3fnuz b) { return Float8_e4m3fnuz(static_cast<float>(a)) / b; }
ks_torch_inline Float8_e4m3fnuz operator-(const Float8_e4m3fnuz &a) { return Float8_e4m3fnuz(-static_cast<float>(a)); }

struct alignas(1) Float8_e5m2fnuz {
  unsigned char x;
  struct from_bits_t {};
  static constexpr C10_HOST_DEVICE from_bits_t from_bits() { return from_bits_t(); }
  Float8_e5m2fnuz() = default;
  constexpr C10_HOST_DEVICE Float8_e5m2fnuz(unsigned char bits, from_bits_t) : x(bits) {}
  ks_torch_inline Float8_e5m2fnuz(float v) : x(kernelset::E5M2Fnuz::code(v, false)) {}
  ks_torch_inline operator float() const { return kernelset::E5M2Fnuz::value(x); }
};
ks_torch_inline Float8_e5m2fnuz operator+(const Float8_e5m2fnuz &a, const Float8_e5m2fnuz &b) { return static_cast<float>(a) + static_cast<float>(b); }
ks_torch_inline Float8_e5m2fnuz &operator+=(Float8_e5m2fnuz &a, const Float8_e5m2fnuz &b) { return a = a + b; }
ks_torch_inline float operator+(Float8_e5m2fnuz a, float b) { return static_cast<float>(static_cast<float>(a)) + b; }
ks_torch_inline float operator+(float a, Float8_e5m2fnuz b) { return a + static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator+(Float8_e5m2fnuz a, double b) { return static_cast<double>(static_cast<float>(a)) + b; }
ks_torch_inline double operator+(double a, Float8_e5m2fnuz b) { return a + static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator+=(float &a, const Float8_e5m2fnuz &b) { return a = a + static_cast<float>(b); }
ks_torch_inline Float8_e5m2fnuz operator+(Float8_e5m2fnuz a, int b) { return a + Float8_e5m2fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2fnuz operator+(int a, Float8_e5m2fnuz b) { return Float8_e5m2fnuz(static_cast<float>(a)) + b; }
ks_torch_inline Float8_e5m2fnuz operator+(Float8_e5m2fnuz a, int64_t b) { return a + Float8_e5m2fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2fnuz operator+(int64_t a, Float8_e5m2fnuz b) { return Float8_e5m2fnuz(static_cast<float>(a)) + b; }
ks_torch_inline Float8_e5m2fnuz operator-(const Float8_e5m2fnuz &a, const Float8_e5m2fnuz &b) { return static_cast<float>(a) - static_cast<float>(b); }
ks_torch_inline Float8_e5m2fnuz &operator-=(Float8_e5m2fnuz &a, const Float8_e5m2fnuz &b) { return a = a - b; }
ks_torch_inline float operator-(Float8_e5m2fnuz a, float b) { return static_cast<float>(static_cast<float>(a)) - b; }
ks_torch_inline float operator-(float a, Float8_e5m2fnuz b) { return a - static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator-(Float8_e5m2fnuz a, double b) { return static_cast<double>(static_cast<float>(a)) - b; }
ks_torch_inline double operator-(double a, Float8_e5m2fnuz b) { return a - static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator-=(float &a, const Float8_e5m2fnuz &b) { return a = a - static_cast<float>(b); }
ks_torch_inline Float8_e5m2fnuz operator-(Float8_e5m2fnuz a, int b) { return a - Float8_e5m2fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2fnuz operator-(int a, Float8_e5m2fnuz b) { return Float8_e5m2fnuz(static_cast<float>(a)) - b; }
ks_torch_inline Float8_e5m2fnuz operator-(Float8_e5m2fnuz a, int64_t b) { return a - Float8_e5m2fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2fnuz operator-(int64_t a, Float8_e5m2fnuz b) { return Float8_e5m2fnuz(static_cast<float>(a)) - b; }
ks_torch_inline Float8_e5m2fnuz operator*(const Float8_e5m2fnuz &a, const Float8_e5m2fnuz &b) { return static_cast<float>(a) * static_cast<float>(b); }
ks_torch_inline Float8_e5m2fnuz &operator*=(Float8_e5m2fnuz &a, const Float8_e5m2fnuz &b) { return a = a * b; }
ks_torch_inline float operator*(Float8_e5m2fnuz a, float b) { return static_cast<float>(static_cast<float>(a)) * b; }
ks_torch_inline float operator*(float a, Float8_e5m2fnuz b) { return a * static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator*(Float8_e5m2fnuz a, double b) { return static_cast<double>(static_cast<float>(a)) * b; }
ks_torch_inline double operator*(double a, Float8_e5m2fnuz b) { return a * static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator*=(float &a, const Float8_e5m2fnuz &b) { return a = a * static_cast<float>(b); }
ks_torch_inline Float8_e5m2fnuz operator*(Float8_e5m2fnuz a, int b) { return a * Float8_e5m2fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2fnuz operator*(int a, Float8_e5m2fnuz b) { return Float8_e5m2fnuz(static_cast<float>(a)) * b; }
ks_torch_inline Float8_e5m2fnuz operator*(Float8_e5m2fnuz a, int64_t b) { return a * Float8_e5m2fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2fnuz operator*(int64_t a, Float8_e5m2fnuz b) { return Float8_e5m2fnuz(static_cast<float>(a)) * b; }
ks_torch_inline Float8_e5m2fnuz operator/(const Float8_e5m2fnuz &a, const Float8_e5m2fnuz &b) { return static_cast<float>(a) / static_cast<float>(b); }
ks_torch_inline Float8_e5m2fnuz &operator/=(Float8_e5m2fnuz &a, const Float8_e5m2fnuz &b) { return a = a / b; }
ks_torch_inline float operator/(Float8_e5m2fnuz a, float b) { return static_cast<float>(static_cast<float>(a)) / b; }
ks_torch_inline float operator/(float a, Float8_e5m2fnuz b) { return a / static_cast<float>(static_cast<float>(b)); }
ks_torch_inline double operator/(Float8_e5m2fnuz a, double b) { return static_cast<double>(static_cast<float>(a)) / b; }
ks_torch_inline double operator/(double a, Float8_e5m2fnuz b) { return a / static_cast<double>(static_cast<float>(b)); }
ks_torch_inline float &operator/=(float &a, const Float8_e5m2fnuz &b) { return a = a / static_cast<float>(b); }
ks_torch_inline Float8_e5m2fnuz operator/(Float8_e5m2fnuz a, int b) { return a / Float8_e5m2fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2fnuz operator/(int a, Float8_e5m2fnuz b) { return Float8_e5m2fnuz(static_cast<float>(a)) / b; }
ks_torch_inline Float8_e5m2fnuz operator/(Float8_e5m2fnuz a, int64_t b) { return a / Float8_e5m2fnuz(static_cast<float>(b)); }
ks_torch_inline Float8_e5m2fnuz operator/(int64_t a, Float8_e5m2fnuz b) { return Float8_e5m2fnuz(static_cast<float>(a)) / b; }
ks_torch_inline Float8_e5m2fnuz operator-(const Float8_e5m2fnuz &a) { return Float8_e5m2fnuz(-static_cast<float>(a)); }

// a power of two: the exponent of a float alone
struct alignas(1) Float8_e8m0fnu {
  unsigned char x;
  struct from_bits_t {};
  static constexpr C10_HOST_DEVICE from_bits_t from_bits() { return from_bits_t(); }
  Float8_e8m0fnu() = default;
  constexpr C10_HOST_DEVICE Float8_e8m0fnu(unsigned char bits, from_bits_t) : x(bits) {}
  ks_torch_inline Float8_e8m0fnu(float v) : x(ks_torch_e8m0_bits(v)) {}
  ks_torch_inline operator float() const {
    return x == 0xff ? __builtin_nanf("") : __builtin_bit_cast(float, x ? (unsigned int)x << 23 : 0x00400000u);
  }
};
// two 4-bit floats in a byte
struct alignas(1) Float4_e2m1fn_x2 {
  unsigned char val_;
  Float4_e2m1fn_x2() = default;
  constexpr C10_HOST_DEVICE explicit Float4_e2m1fn_x2(unsigned char v) : val_(v) {}
};

static ks_torch_inline bool operator==(const Half &a, const Half &b) { return static_cast<float>(a) == static_cast<float>(b); }
static ks_torch_inline bool operator!=(const Half &a, const Half &b) { return static_cast<float>(a) != static_cast<float>(b); }
static ks_torch_inline bool operator<(const Half &a, const Half &b) { return static_cast<float>(a) < static_cast<float>(b); }
static ks_torch_inline bool operator>(const Half &a, const Half &b) { return static_cast<float>(a) > static_cast<float>(b); }
static ks_torch_inline bool operator<=(const Half &a, const Half &b) { return static_cast<float>(a) <= static_cast<float>(b); }
static ks_torch_inline bool operator>=(const Half &a, const Half &b) { return static_cast<float>(a) >= static_cast<float>(b); }
static ks_torch_inline bool operator==(const BFloat16 &a, const BFloat16 &b) { return static_cast<float>(a) == static_cast<float>(b); }
static ks_torch_inline bool operator!=(const BFloat16 &a, const BFloat16 &b) { return static_cast<float>(a) != static_cast<float>(b); }
static ks_torch_inline bool operator<(const BFloat16 &a, const BFloat16 &b) { return static_cast<float>(a) < static_cast<float>(b); }
static ks_torch_inline bool operator>(const BFloat16 &a, const BFloat16 &b) { return static_cast<float>(a) > static_cast<float>(b); }
static ks_torch_inline bool operator<=(const BFloat16 &a, const BFloat16 &b) { return static_cast<float>(a) <= static_cast<float>(b); }
static ks_torch_inline bool operator>=(const BFloat16 &a, const BFloat16 &b) { return static_cast<float>(a) >= static_cast<float>(b); }

template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator==(const Half &a, T b) { return static_cast<float>(a) == b; }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator==(T a, const Half &b) { return a == static_cast<float>(b); }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator!=(const Half &a, T b) { return static_cast<float>(a) != b; }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator!=(T a, const Half &b) { return a != static_cast<float>(b); }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator<(const Half &a, T b) { return static_cast<float>(a) < b; }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator<(T a, const Half &b) { return a < static_cast<float>(b); }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator>(const Half &a, T b) { return static_cast<float>(a) > b; }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator>(T a, const Half &b) { return a > static_cast<float>(b); }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator<=(const Half &a, T b) { return static_cast<float>(a) <= b; }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator<=(T a, const Half &b) { return a <= static_cast<float>(b); }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator>=(const Half &a, T b) { return static_cast<float>(a) >= b; }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator>=(T a, const Half &b) { return a >= static_cast<float>(b); }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator==(const BFloat16 &a, T b) { return static_cast<float>(a) == b; }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator==(T a, const BFloat16 &b) { return a == static_cast<float>(b); }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator!=(const BFloat16 &a, T b) { return static_cast<float>(a) != b; }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator!=(T a, const BFloat16 &b) { return a != static_cast<float>(b); }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator<(const BFloat16 &a, T b) { return static_cast<float>(a) < b; }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator<(T a, const BFloat16 &b) { return a < static_cast<float>(b); }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator>(const BFloat16 &a, T b) { return static_cast<float>(a) > b; }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator>(T a, const BFloat16 &b) { return a > static_cast<float>(b); }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator<=(const BFloat16 &a, T b) { return static_cast<float>(a) <= b; }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator<=(T a, const BFloat16 &b) { return a <= static_cast<float>(b); }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator>=(const BFloat16 &a, T b) { return static_cast<float>(a) >= b; }
template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0> ks_torch_inline bool operator>=(T a, const BFloat16 &b) { return a >= static_cast<float>(b); }

template <typename T> struct alignas(sizeof(T) * 2) complex {
  using value_type = T;
  T real_ = T(0), imag_ = T(0);
  constexpr complex() = default;
  constexpr C10_HOST_DEVICE complex(const T &re, const T &im = T(0)) : real_(re), imag_(im) {}
  template <typename U> constexpr explicit C10_HOST_DEVICE complex(const complex<U> &o) : real_((T)o.real_), imag_((T)o.imag_) {}
  constexpr C10_HOST_DEVICE T real() const { return real_; }
  constexpr C10_HOST_DEVICE T imag() const { return imag_; }
  constexpr C10_HOST_DEVICE void real(T v) { real_ = v; }
  constexpr C10_HOST_DEVICE void imag(T v) { imag_ = v; }
  constexpr C10_HOST_DEVICE complex &operator+=(const complex &o) { real_ += o.real_; imag_ += o.imag_; return *this; }
  constexpr C10_HOST_DEVICE complex &operator-=(const complex &o) { real_ -= o.real_; imag_ -= o.imag_; return *this; }
  constexpr C10_HOST_DEVICE complex &operator*=(const complex &o) {
    T re = real_ * o.real_ - imag_ * o.imag_;
    imag_ = real_ * o.imag_ + imag_ * o.real_;
    real_ = re;
    return *this;
  }
  constexpr C10_HOST_DEVICE complex &operator/=(const complex &o) {
    T s = o.real_ * o.real_ + o.imag_ * o.imag_, re = (real_ * o.real_ + imag_ * o.imag_) / s;
    imag_ = (imag_ * o.real_ - real_ * o.imag_) / s;
    real_ = re;
    return *this;
  }
};
template <typename T> constexpr C10_HOST_DEVICE complex<T> operator+(complex<T> a, const complex<T> &b) { return a += b; }
template <typename T> constexpr C10_HOST_DEVICE complex<T> operator-(complex<T> a, const complex<T> &b) { return a -= b; }
template <typename T> constexpr C10_HOST_DEVICE complex<T> operator*(complex<T> a, const complex<T> &b) { return a *= b; }
template <typename T> constexpr C10_HOST_DEVICE complex<T> operator/(complex<T> a, const complex<T> &b) { return a /= b; }
template <typename T> constexpr C10_HOST_DEVICE complex<T> operator*(complex<T> a, const T &b) { return a *= complex<T>(b); }
template <typename T> constexpr C10_HOST_DEVICE complex<T> operator*(const T &a, complex<T> b) { return b *= complex<T>(a); }
template <typename T> constexpr C10_HOST_DEVICE complex<T> operator+(complex<T> a, const T &b) { return a += complex<T>(b); }
template <typename T> constexpr C10_HOST_DEVICE complex<T> operator+(const T &a, complex<T> b) { return b += complex<T>(a); }
template <typename T> constexpr C10_HOST_DEVICE complex<T> operator-(complex<T> a, const T &b) { return a -= complex<T>(b); }
template <typename T> constexpr C10_HOST_DEVICE complex<T> operator/(complex<T> a, const T &b) { return a /= complex<T>(b); }
template <typename T> constexpr C10_HOST_DEVICE complex<T> operator-(const complex<T> &a) { return complex<T>(-a.real_, -a.imag_); }
template <typename T> constexpr C10_HOST_DEVICE bool operator==(const complex<T> &a, const complex<T> &b) {
  return a.real_ == b.real_ && a.imag_ == b.imag_;
}
template <typename T> constexpr C10_HOST_DEVICE bool operator!=(const complex<T> &a, const complex<T> &b) { return !(a == b); }

template <typename T> struct scalar_value_type { using type = T; };
template <typename T> struct scalar_value_type<complex<T>> { using type = T; };
template <typename T, int N> struct alignas(16) ks_aligned_array { T data[N]; };

template <typename To, typename From> ks_torch_inline To convert(From v) { return static_cast<To>(v); }

template <typename T, size_t N> struct Array {
  T data[N];
  ks_torch_inline T operator[](int i) const { return data[i]; }
  ks_torch_inline T &operator[](int i) { return data[i]; }
  static constexpr int size() { return N; }
};
}  // namespace c10

namespace std {
template <> class numeric_limits<c10::Half> {
 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true, is_bounded = true;
  static constexpr C10_HOST_DEVICE c10::Half lowest() { return c10::Half(0xFBFF, c10::Half::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Half max() { return c10::Half(0x7BFF, c10::Half::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Half min() { return c10::Half(0x0400, c10::Half::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Half epsilon() { return c10::Half(0x1400, c10::Half::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Half infinity() { return c10::Half(0x7C00, c10::Half::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Half quiet_NaN() { return c10::Half(0x7E00, c10::Half::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Half denorm_min() { return c10::Half(0x0001, c10::Half::from_bits()); }
};
}
namespace std {
template <> class numeric_limits<c10::BFloat16> {
 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true, is_bounded = true;
  static constexpr C10_HOST_DEVICE c10::BFloat16 lowest() { return c10::BFloat16(0xFF7F, c10::BFloat16::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::BFloat16 max() { return c10::BFloat16(0x7F7F, c10::BFloat16::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::BFloat16 min() { return c10::BFloat16(0x0080, c10::BFloat16::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::BFloat16 epsilon() { return c10::BFloat16(0x3C00, c10::BFloat16::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::BFloat16 infinity() { return c10::BFloat16(0x7F80, c10::BFloat16::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::BFloat16 quiet_NaN() { return c10::BFloat16(0x7FC0, c10::BFloat16::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::BFloat16 denorm_min() { return c10::BFloat16(0x0001, c10::BFloat16::from_bits()); }
};
}
namespace std {
template <> class numeric_limits<c10::Float8_e4m3fn> {
 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = false, has_quiet_NaN = true, is_iec559 = true, is_bounded = true;
  static constexpr C10_HOST_DEVICE c10::Float8_e4m3fn lowest() { return c10::Float8_e4m3fn(0xFE, c10::Float8_e4m3fn::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Float8_e4m3fn max() { return c10::Float8_e4m3fn(0x7E, c10::Float8_e4m3fn::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Float8_e4m3fn min() { return c10::Float8_e4m3fn(0x08, c10::Float8_e4m3fn::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Float8_e4m3fn epsilon() { return c10::Float8_e4m3fn(0x20, c10::Float8_e4m3fn::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Float8_e4m3fn quiet_NaN() { return c10::Float8_e4m3fn(0x7F, c10::Float8_e4m3fn::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Float8_e4m3fn denorm_min() { return c10::Float8_e4m3fn(0x01, c10::Float8_e4m3fn::from_bits()); }
};
}
namespace std {
template <> class numeric_limits<c10::Float8_e5m2> {
 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = true, has_quiet_NaN = true, is_iec559 = true, is_bounded = true;
  static constexpr C10_HOST_DEVICE c10::Float8_e5m2 lowest() { return c10::Float8_e5m2(0xFB, c10::Float8_e5m2::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Float8_e5m2 max() { return c10::Float8_e5m2(0x7B, c10::Float8_e5m2::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Float8_e5m2 min() { return c10::Float8_e5m2(0x04, c10::Float8_e5m2::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Float8_e5m2 epsilon() { return c10::Float8_e5m2(0x34, c10::Float8_e5m2::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Float8_e5m2 infinity() { return c10::Float8_e5m2(0x7C, c10::Float8_e5m2::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Float8_e5m2 quiet_NaN() { return c10::Float8_e5m2(0x7F, c10::Float8_e5m2::from_bits()); }
  static constexpr C10_HOST_DEVICE c10::Float8_e5m2 denorm_min() { return c10::Float8_e5m2(0x01, c10::Float8_e5m2::from_bits()); }
};
}

namespace std {
template <typename T> ks_torch_inline T abs(const c10::complex<T> &z) { return (T)::hypot((double)z.real_, (double)z.imag_); }
template <typename T> ks_torch_inline T arg(const c10::complex<T> &z) { return (T)::atan2((double)z.imag_, (double)z.real_); }
template <typename T> ks_torch_inline c10::complex<T> conj(const c10::complex<T> &z) { return c10::complex<T>(z.real_, -z.imag_); }
template <typename T> ks_torch_inline T real(const c10::complex<T> &z) { return z.real_; }
template <typename T> ks_torch_inline T imag(const c10::complex<T> &z) { return z.imag_; }
template <typename T> ks_torch_inline c10::complex<T> exp(const c10::complex<T> &z) {
  const T r = (T)::exp((double)z.real_);
  return c10::complex<T>(r * (T)::cos((double)z.imag_), r * (T)::sin((double)z.imag_));
}
template <typename T> ks_torch_inline c10::complex<T> log(const c10::complex<T> &z) {
  return c10::complex<T>((T)::log(::hypot((double)z.real_, (double)z.imag_)), (T)::atan2((double)z.imag_, (double)z.real_));
}

ks_torch_inline c10::Half exp(c10::Half a) { return c10::Half(::expf((float)a)); }
ks_torch_inline c10::BFloat16 exp(c10::BFloat16 a) { return c10::BFloat16(::expf((float)a)); }
ks_torch_inline c10::Half log(c10::Half a) { return c10::Half(::logf((float)a)); }
ks_torch_inline c10::BFloat16 log(c10::BFloat16 a) { return c10::BFloat16(::logf((float)a)); }
ks_torch_inline c10::Half sin(c10::Half a) { return c10::Half(::sinf((float)a)); }
ks_torch_inline c10::BFloat16 sin(c10::BFloat16 a) { return c10::BFloat16(::sinf((float)a)); }
ks_torch_inline c10::Half cos(c10::Half a) { return c10::Half(::cosf((float)a)); }
ks_torch_inline c10::BFloat16 cos(c10::BFloat16 a) { return c10::BFloat16(::cosf((float)a)); }
ks_torch_inline c10::Half tan(c10::Half a) { return c10::Half(::tanf((float)a)); }
ks_torch_inline c10::BFloat16 tan(c10::BFloat16 a) { return c10::BFloat16(::tanf((float)a)); }
ks_torch_inline c10::Half tanh(c10::Half a) { return c10::Half(::tanhf((float)a)); }
ks_torch_inline c10::BFloat16 tanh(c10::BFloat16 a) { return c10::BFloat16(::tanhf((float)a)); }
ks_torch_inline c10::Half sqrt(c10::Half a) { return c10::Half(::sqrtf((float)a)); }
ks_torch_inline c10::BFloat16 sqrt(c10::BFloat16 a) { return c10::BFloat16(::sqrtf((float)a)); }
ks_torch_inline c10::Half floor(c10::Half a) { return c10::Half(::floorf((float)a)); }
ks_torch_inline c10::BFloat16 floor(c10::BFloat16 a) { return c10::BFloat16(::floorf((float)a)); }
ks_torch_inline c10::Half ceil(c10::Half a) { return c10::Half(::ceilf((float)a)); }
ks_torch_inline c10::BFloat16 ceil(c10::BFloat16 a) { return c10::BFloat16(::ceilf((float)a)); }
ks_torch_inline c10::Half round(c10::Half a) { return c10::Half(::roundf((float)a)); }
ks_torch_inline c10::BFloat16 round(c10::BFloat16 a) { return c10::BFloat16(::roundf((float)a)); }
ks_torch_inline c10::Half trunc(c10::Half a) { return c10::Half(::truncf((float)a)); }
ks_torch_inline c10::BFloat16 trunc(c10::BFloat16 a) { return c10::BFloat16(::truncf((float)a)); }
ks_torch_inline c10::Half abs(c10::Half a) { return c10::Half(::fabsf((float)a)); }
ks_torch_inline c10::BFloat16 abs(c10::BFloat16 a) { return c10::BFloat16(::fabsf((float)a)); }
ks_torch_inline c10::Half log2(c10::Half a) { return c10::Half(::log2f((float)a)); }
ks_torch_inline c10::BFloat16 log2(c10::BFloat16 a) { return c10::BFloat16(::log2f((float)a)); }
ks_torch_inline c10::Half log10(c10::Half a) { return c10::Half(::log10f((float)a)); }
ks_torch_inline c10::BFloat16 log10(c10::BFloat16 a) { return c10::BFloat16(::log10f((float)a)); }
ks_torch_inline c10::Half exp2(c10::Half a) { return c10::Half(::exp2f((float)a)); }
ks_torch_inline c10::BFloat16 exp2(c10::BFloat16 a) { return c10::BFloat16(::exp2f((float)a)); }
ks_torch_inline c10::Half erf(c10::Half a) { return c10::Half(::erff((float)a)); }
ks_torch_inline c10::BFloat16 erf(c10::BFloat16 a) { return c10::BFloat16(::erff((float)a)); }
ks_torch_inline c10::Half pow(c10::Half a, c10::Half b) { return c10::Half(::powf((float)a, (float)b)); }
ks_torch_inline c10::Half pow(c10::Half a, double b) { return c10::Half(::powf((float)a, (float)b)); }
ks_torch_inline bool isnan(c10::Half a) { return (float)a != (float)a; }
ks_torch_inline bool isinf(c10::Half a) { return __builtin_isinf((float)a); }
ks_torch_inline bool isfinite(c10::Half a) { return __builtin_isfinite((float)a); }
ks_torch_inline c10::BFloat16 pow(c10::BFloat16 a, c10::BFloat16 b) { return c10::BFloat16(::powf((float)a, (float)b)); }
ks_torch_inline c10::BFloat16 pow(c10::BFloat16 a, double b) { return c10::BFloat16(::powf((float)a, (float)b)); }
ks_torch_inline bool isnan(c10::BFloat16 a) { return (float)a != (float)a; }
ks_torch_inline bool isinf(c10::BFloat16 a) { return __builtin_isinf((float)a); }
ks_torch_inline bool isfinite(c10::BFloat16 a) { return __builtin_isfinite((float)a); }
}  // namespace std

// Without the packs, which are always empty, a project's own function of that name would be another definition of the same;
// with them it is taken first, as [temp.func.order] has it.
template <typename... W> static __device__ inline c10::Half __ldg(const c10::Half *p, W...) { return *p; }
template <typename... W> static __device__ inline c10::BFloat16 __ldg(const c10::BFloat16 *p, W...) { return *p; }
namespace at {
using Half = c10::Half;
using BFloat16 = c10::BFloat16;
using c10::complex;
namespace native {}
namespace indexing {}

template <typename T> struct OpMathType { using type = T; };
template <> struct OpMathType<c10::Half> { using type = float; };
template <> struct OpMathType<c10::BFloat16> { using type = float; };
template <> struct OpMathType<c10::Float8_e4m3fn> { using type = float; };
template <> struct OpMathType<c10::Float8_e5m2> { using type = float; };
template <typename T> using opmath_type = typename OpMathType<T>::type;
template <typename T, bool Device = true> struct AccumulateType { using type = T; };
template <bool D> struct AccumulateType<c10::Half, D> { using type = float; };
template <bool D> struct AccumulateType<c10::BFloat16, D> { using type = float; };
template <> struct AccumulateType<float, false> { using type = double; };
template <bool D> struct AccumulateType<int, D> { using type = int64_t; };
template <bool D> struct AccumulateType<char, D> { using type = int64_t; };
template <bool D> struct AccumulateType<signed char, D> { using type = int64_t; };
template <bool D> struct AccumulateType<unsigned char, D> { using type = int64_t; };
template <bool D> struct AccumulateType<short, D> { using type = int64_t; };
template <typename T, bool Device = true> using acc_type = typename AccumulateType<T, Device>::type;
template <typename T, bool Device = true> using acc_type_device = typename AccumulateType<T, Device>::type;

template <typename T> struct DefaultPtrTraits { typedef T *PtrType; };
template <typename T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class TensorAccessorBase {
 public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  ks_torch_inline TensorAccessorBase(PtrType data, const index_t *sizes, const index_t *strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  ks_torch_inline index_t stride(index_t i) const { return strides_[i]; }
  ks_torch_inline index_t size(index_t i) const { return sizes_[i]; }
  ks_torch_inline PtrType data() { return data_; }
  ks_torch_inline const PtrType data() const { return data_; }

 protected:
  PtrType data_;
  const index_t *sizes_, *strides_;
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class TensorAccessor : public TensorAccessorBase<T, N, PtrTraits, index_t> {
 public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  using TensorAccessorBase<T, N, PtrTraits, index_t>::TensorAccessorBase;
  ks_torch_inline TensorAccessor<T, N - 1, PtrTraits, index_t> operator[](index_t i) const {
    return TensorAccessor<T, N - 1, PtrTraits, index_t>(this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1);
  }
};
template <typename T, template <typename U> class PtrTraits, typename index_t>
class TensorAccessor<T, 1, PtrTraits, index_t> : public TensorAccessorBase<T, 1, PtrTraits, index_t> {
 public:
  using TensorAccessorBase<T, 1, PtrTraits, index_t>::TensorAccessorBase;
  ks_torch_inline T &operator[](index_t i) const { return this->data_[this->strides_[0] * i]; }
};

template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
class GenericPackedTensorAccessor {
 public:
  typedef typename PtrTraits<T>::PtrType PtrType;
  ks_torch_inline GenericPackedTensorAccessor(PtrType data, const index_t *sizes, const index_t *strides) : data_(data) {
    for (size_t i = 0; i < N; i++) sizes_[i] = sizes[i], strides_[i] = strides[i];
  }
  ks_torch_inline index_t stride(index_t i) const { return strides_[i]; }
  ks_torch_inline index_t size(index_t i) const { return sizes_[i]; }
  ks_torch_inline PtrType data() const { return data_; }
  ks_torch_inline decltype(auto) operator[](index_t i) const {
    if constexpr (N == 1) return (data_[strides_[0] * i]);
    else return TensorAccessor<T, N - 1, PtrTraits, index_t>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }

 protected:
  PtrType data_;
  index_t sizes_[N], strides_[N];
};
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, PtrTraits, int32_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, PtrTraits, int64_t>;
template <typename T, size_t N, template <typename U> class PtrTraits = DefaultPtrTraits, typename index_t = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, PtrTraits, index_t>;

struct PhiloxCudaState {
  union Payload { uint64_t val; int64_t *ptr; };
  Payload seed_{}, offset_{};
  uint64_t offset_intragraph_ = 0;
  bool captured_ = false;
};
namespace cuda {
namespace philox {
static __device__ inline std::pair<uint64_t, uint64_t> unpack(PhiloxCudaState s) {
  if (!s.captured_) return {s.seed_.val, s.offset_.val};
  return {uint64_t(*s.seed_.ptr), uint64_t(*s.offset_.ptr) + s.offset_intragraph_};
}
}  // namespace philox
template <typename T> ks_torch_inline T ATenCeilDiv(T a, T b) { return (a + b - 1) / b; }
namespace detail {
template <typename T, typename IndexType> struct TensorInfo {
  T *data;
  IndexType sizes[25], strides[25];
  int dims;
  ks_torch_inline bool isContiguous() const { return dims == 1 && strides[0] == 1; }
};
template <typename T, typename IndexType, int Dims> struct IndexToOffset {
  static ks_torch_inline IndexType get(IndexType linear, const TensorInfo<T, IndexType> &info) {
    IndexType offset = 0;
    for (int i = info.dims - 1; i > 0; --i) {
      offset += (linear % info.sizes[i]) * info.strides[i];
      linear /= info.sizes[i];
    }
    return offset + linear * info.strides[0];
  }
};
}  // namespace detail
}  // namespace cuda
template <typename T> ks_torch_inline T ceil_div(T a, T b) { return (a + b - 1) / b; }
using c10::Array;
namespace detail { using c10::Array; }
}  // namespace at
using at::PhiloxCudaState;

#include <kernelset/torch_atomics.h>
// W: a width and a mask. A lane has to be converted, so that a project's own functions of these names are taken first.
struct ks_torch_lane {
  int value;
  __device__ inline ks_torch_lane(int lane) : value(lane) {}
};
template <typename T> static __device__ inline T ks_torch_shfl(T v, int lane, int width = 32, unsigned int mask = ~0u) {
  return __shfl_sync(mask, v, lane, width);
}
template <typename T> static __device__ inline T ks_torch_shfl_down(T v, unsigned int d, int width = 32, unsigned int mask = ~0u) {
  return __shfl_down_sync(mask, v, d, width);
}
template <typename T> static __device__ inline T ks_torch_shfl_up(T v, unsigned int d, int width = 32, unsigned int mask = ~0u) {
  return __shfl_up_sync(mask, v, d, width);
}
template <typename T> static __device__ inline T ks_torch_shfl_xor(T v, int m, int width = 32, unsigned int mask = ~0u) {
  return __shfl_xor_sync(mask, v, m, width);
}
template <typename T, typename... W> static __device__ inline T WARP_SHFL(T v, ks_torch_lane lane, W... rest) {
  return ks_torch_shfl(v, lane.value, rest...);
}
template <typename T, typename... W> static __device__ inline T WARP_SHFL_DOWN(T v, ks_torch_lane d, W... rest) {
  return ks_torch_shfl_down(v, d.value, rest...);
}
template <typename T, typename... W> static __device__ inline T WARP_SHFL_UP(T v, ks_torch_lane d, W... rest) {
  return ks_torch_shfl_up(v, d.value, rest...);
}
template <typename T, typename... W> static __device__ inline T WARP_SHFL_XOR(T v, ks_torch_lane m, W... rest) {
  return ks_torch_shfl_xor(v, m.value, rest...);
}
template <typename M = unsigned int> static __device__ inline unsigned int WARP_BALLOT(int p, M mask = ~0u) {
  return __ballot_sync(mask, p);
}

namespace torch {
using at::DefaultPtrTraits;
using at::GenericPackedTensorAccessor;
using at::PackedTensorAccessor;
using at::PackedTensorAccessor32;
using at::PackedTensorAccessor64;
using at::RestrictPtrTraits;
using at::TensorAccessor;
using c10::BFloat16;
using c10::Half;
namespace headeronly {
using namespace c10;
using at::AccumulateType;
using at::DefaultPtrTraits;
using at::RestrictPtrTraits;
template <typename T, size_t N, template <typename U> class P = DefaultPtrTraits, typename I = int64_t>
using HeaderOnlyTensorAccessor = at::TensorAccessor<T, N, P, I>;
template <typename T, size_t N, template <typename U> class P = DefaultPtrTraits, typename I = int64_t>
using HeaderOnlyGenericPackedTensorAccessor = at::GenericPackedTensorAccessor<T, N, P, I>;
}  // namespace headeronly
}  // namespace torch
namespace c10 {
template <typename T> struct ks_integers {
  struct step { T i; ks_torch_inline T operator*() const { return i; } ks_torch_inline step &operator++() { ++i; return *this; }
                ks_torch_inline bool operator!=(const step &o) const { return i != o.i; } };
  T first, last;
  ks_torch_inline step begin() const { return step{first}; }
  ks_torch_inline step end() const { return step{last}; }
};
template <typename T> ks_torch_inline ks_integers<T> irange(T last) { return {T(0), last < T(0) ? T(0) : last}; }
template <typename A, typename B> ks_torch_inline ks_integers<B> irange(A first, B last) { return {(B)first, last < (B)first ? (B)first : last}; }
namespace cuda { namespace compat {
#define KS_COMPAT(NAME)                                                                                                  \
  static __device__ inline float NAME(float x) { return ::NAME##f(x); }                                                  \
  static __device__ inline double NAME(double x) { return ::NAME(x); }
KS_COMPAT(exp) KS_COMPAT(log) KS_COMPAT(sqrt) KS_COMPAT(ceil) KS_COMPAT(floor) KS_COMPAT(tanh) KS_COMPAT(round) KS_COMPAT(erf)
#undef KS_COMPAT
static __device__ inline float abs(float x) { return ::fabsf(x); }
static __device__ inline double abs(double x) { return ::fabs(x); }
static __device__ inline float max(float a, float b) { return ::fmaxf(a, b); }
static __device__ inline double max(double a, double b) { return ::fmax(a, b); }
static __device__ inline float min(float a, float b) { return ::fminf(a, b); }
static __device__ inline double min(double a, double b) { return ::fmin(a, b); }
static __device__ inline float pow(float a, float b) { return ::powf(a, b); }
static __device__ inline double pow(double a, double b) { return ::pow(a, b); }
} }
}

// loops over a grid, as ATen/cuda/detail/KernelUtils.h has them
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                                             \
  int64_t ks_next_##i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;                                     \
  for (index_type i = ks_next_##i; ks_next_##i < (n); ks_next_##i += (int64_t)blockDim.x * gridDim.x, i = ks_next_##i)
#ifndef CUDA_KERNEL_LOOP
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#endif
namespace at { namespace cuda { namespace detail {
constexpr int CUDA_NUM_THREADS = 1024;
inline int GET_BLOCKS(int64_t n, int64_t threads = CUDA_NUM_THREADS) { return (int)((n + threads - 1) / threads); }
} } }
#include <kernelset/torch_device.h>
