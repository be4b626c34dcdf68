// `__hip_bfloat16`: HIP's own where it has one, else this.
#ifndef KERNELSET_HIP_BF16_H
#define KERNELSET_HIP_BF16_H

#if defined(__has_include_next)
#if __has_include_next(<hip/hip_bf16.h>)
#define KERNELSET_HAS_HIP_BF16 1
#endif
#endif

#ifdef KERNELSET_HAS_HIP_BF16
#include_next <hip/hip_bf16.h>
#else

#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>
#include <math.h>

struct __hip_bfloat16_raw {
  unsigned short x;
};
struct __hip_bfloat162_raw {
  unsigned short x;
  unsigned short y;
};

#define KERNELSET_BF16 __host__ __device__ inline

struct __attribute__((aligned(2))) __hip_bfloat16 {
  unsigned short data;

  __hip_bfloat16() = default;
  KERNELSET_BF16 constexpr __hip_bfloat16(__hip_bfloat16_raw raw) : data(raw.x) {}
  KERNELSET_BF16 __hip_bfloat16(float value) : data(rounded(value)) {}
  KERNELSET_BF16 explicit __hip_bfloat16(__half value) : data(rounded(static_cast<float>(value))) {}
  KERNELSET_BF16 __hip_bfloat16(double value) : data(rounded(static_cast<float>(value))) {}
  KERNELSET_BF16 __hip_bfloat16(int value) : data(rounded(static_cast<float>(value))) {}
  KERNELSET_BF16 __hip_bfloat16(unsigned value) : data(rounded(static_cast<float>(value))) {}
  KERNELSET_BF16 __hip_bfloat16(long value) : data(rounded(static_cast<float>(value))) {}
  KERNELSET_BF16 __hip_bfloat16(unsigned long value) : data(rounded(static_cast<float>(value))) {}
  KERNELSET_BF16 __hip_bfloat16(long long value) : data(rounded(static_cast<float>(value))) {}
  KERNELSET_BF16 __hip_bfloat16(unsigned long long value) : data(rounded(static_cast<float>(value))) {}

  KERNELSET_BF16 operator float() const {
    unsigned word = static_cast<unsigned>(data) << 16;
    float value;
    __builtin_memcpy(&value, &word, sizeof(value));
    return value;
  }
  KERNELSET_BF16 explicit operator bool() const { return (data & 0x7fffu) != 0; }
  KERNELSET_BF16 constexpr operator __hip_bfloat16_raw() const { return {data}; }

 private:
  // to nearest, ties to even
  KERNELSET_BF16 static unsigned short rounded(float value) {
    unsigned word;
    __builtin_memcpy(&word, &value, sizeof(word));
    if ((word & 0x7fffffffu) > 0x7f800000u) return static_cast<unsigned short>(word >> 16 | 0x40u);
    return static_cast<unsigned short>((word + 0x7fffu + (word >> 16 & 1u)) >> 16);
  }
};

struct __attribute__((aligned(4))) __hip_bfloat162 {
  __hip_bfloat16 x;
  __hip_bfloat16 y;
  __hip_bfloat162() = default;
  KERNELSET_BF16 constexpr __hip_bfloat162(__hip_bfloat16 low, __hip_bfloat16 high) : x(low), y(high) {}
  KERNELSET_BF16 constexpr __hip_bfloat162(__hip_bfloat162_raw raw)
      : x(__hip_bfloat16_raw{raw.x}), y(__hip_bfloat16_raw{raw.y}) {}
  KERNELSET_BF16 constexpr operator __hip_bfloat162_raw() const { return {x.data, y.data}; }
};

#define KERNELSET_BF16_ARITHMETIC(symbol)                                                    \
  KERNELSET_BF16 __hip_bfloat16 operator symbol(__hip_bfloat16 a, __hip_bfloat16 b) {        \
    return static_cast<float>(a) symbol static_cast<float>(b);                               \
  }                                                                                          \
  KERNELSET_BF16 __hip_bfloat16& operator symbol##=(__hip_bfloat16& a, __hip_bfloat16 b) {   \
    return a = a symbol b;                                                                   \
  }                                                                                          \
  KERNELSET_BF16 __hip_bfloat162 operator symbol(__hip_bfloat162 a, __hip_bfloat162 b) {     \
    return {a.x symbol b.x, a.y symbol b.y};                                                 \
  }                                                                                          \
  KERNELSET_BF16 __hip_bfloat162& operator symbol##=(__hip_bfloat162& a, __hip_bfloat162 b) { \
    return a = a symbol b;                                                                   \
  }
KERNELSET_BF16_ARITHMETIC(+)
KERNELSET_BF16_ARITHMETIC(-)
KERNELSET_BF16_ARITHMETIC(*)
KERNELSET_BF16_ARITHMETIC(/)
#undef KERNELSET_BF16_ARITHMETIC
KERNELSET_BF16 __hip_bfloat16 operator-(__hip_bfloat16 a) { return -static_cast<float>(a); }

#define KERNELSET_BF16_COMPARISON(symbol, name)                                   \
  KERNELSET_BF16 bool operator symbol(__hip_bfloat16 a, __hip_bfloat16 b) {       \
    return static_cast<float>(a) symbol static_cast<float>(b);                    \
  }                                                                               \
  KERNELSET_BF16 bool name(__hip_bfloat16 a, __hip_bfloat16 b) { return a symbol b; }
KERNELSET_BF16_COMPARISON(==, __heq)
KERNELSET_BF16_COMPARISON(!=, __hne)
KERNELSET_BF16_COMPARISON(<, __hlt)
KERNELSET_BF16_COMPARISON(<=, __hle)
KERNELSET_BF16_COMPARISON(>, __hgt)
KERNELSET_BF16_COMPARISON(>=, __hge)
#undef KERNELSET_BF16_COMPARISON

KERNELSET_BF16 float __bfloat162float(__hip_bfloat16 a) { return a; }
KERNELSET_BF16 __hip_bfloat16 __float2bfloat16(float a) { return a; }
KERNELSET_BF16 __hip_bfloat16 __float2bfloat16_rn(float a) { return a; }
KERNELSET_BF16 __hip_bfloat16 __double2bfloat16(double a) { return a; }
KERNELSET_BF16 __hip_bfloat16 __int2bfloat16_rn(int a) { return a; }
KERNELSET_BF16 __hip_bfloat16 __uint2bfloat16_rn(unsigned a) { return a; }
KERNELSET_BF16 int __bfloat162int_rz(__hip_bfloat16 a) { return static_cast<int>(static_cast<float>(a)); }
KERNELSET_BF16 int __bfloat162int_rn(__hip_bfloat16 a) { return static_cast<int>(rintf(a)); }
KERNELSET_BF16 unsigned short __bfloat16_as_ushort(__hip_bfloat16 a) { return a.data; }
KERNELSET_BF16 short __bfloat16_as_short(__hip_bfloat16 a) { return static_cast<short>(a.data); }
KERNELSET_BF16 __hip_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __hip_bfloat16_raw{a}; }
KERNELSET_BF16 __hip_bfloat16 __short_as_bfloat16(short a) {
  return __hip_bfloat16_raw{static_cast<unsigned short>(a)};
}

KERNELSET_BF16 __hip_bfloat162 __halves2bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) { return {a, b}; }
KERNELSET_BF16 __hip_bfloat162 make_bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) { return {a, b}; }
KERNELSET_BF16 __hip_bfloat162 __bfloat162bfloat162(__hip_bfloat16 a) { return {a, a}; }
KERNELSET_BF16 __hip_bfloat162 __float2bfloat162_rn(float a) { return {a, a}; }
KERNELSET_BF16 __hip_bfloat162 __floats2bfloat162_rn(float a, float b) { return {a, b}; }
KERNELSET_BF16 __hip_bfloat162 __float22bfloat162_rn(float2 a) { return {a.x, a.y}; }
KERNELSET_BF16 float2 __bfloat1622float2(__hip_bfloat162 a) { return make_float2(a.x, a.y); }
KERNELSET_BF16 __hip_bfloat16 __low2bfloat16(__hip_bfloat162 a) { return a.x; }
KERNELSET_BF16 __hip_bfloat16 __high2bfloat16(__hip_bfloat162 a) { return a.y; }
KERNELSET_BF16 float __low2float(__hip_bfloat162 a) { return a.x; }
KERNELSET_BF16 float __high2float(__hip_bfloat162 a) { return a.y; }

KERNELSET_BF16 __hip_bfloat16 __hadd(__hip_bfloat16 a, __hip_bfloat16 b) { return a + b; }
KERNELSET_BF16 __hip_bfloat16 __hsub(__hip_bfloat16 a, __hip_bfloat16 b) { return a - b; }
KERNELSET_BF16 __hip_bfloat16 __hmul(__hip_bfloat16 a, __hip_bfloat16 b) { return a * b; }
KERNELSET_BF16 __hip_bfloat16 __hdiv(__hip_bfloat16 a, __hip_bfloat16 b) { return a / b; }
KERNELSET_BF16 __hip_bfloat16 __hneg(__hip_bfloat16 a) { return -a; }
KERNELSET_BF16 __hip_bfloat16 __habs(__hip_bfloat16 a) { return fabsf(a); }
KERNELSET_BF16 __hip_bfloat16 __hfma(__hip_bfloat16 a, __hip_bfloat16 b, __hip_bfloat16 c) { return fmaf(a, b, c); }
KERNELSET_BF16 __hip_bfloat16 __hmax(__hip_bfloat16 a, __hip_bfloat16 b) { return fmaxf(a, b); }
KERNELSET_BF16 __hip_bfloat16 __hmin(__hip_bfloat16 a, __hip_bfloat16 b) { return fminf(a, b); }
KERNELSET_BF16 bool __hisnan(__hip_bfloat16 a) { return (a.data & 0x7fffu) > 0x7f80u; }
KERNELSET_BF16 int __hisinf(__hip_bfloat16 a) { return (a.data & 0x7fffu) != 0x7f80u ? 0 : a.data & 0x8000u ? -1 : 1; }
KERNELSET_BF16 __hip_bfloat16 hexp(__hip_bfloat16 a) { return expf(a); }
KERNELSET_BF16 __hip_bfloat16 hlog(__hip_bfloat16 a) { return logf(a); }
KERNELSET_BF16 __hip_bfloat16 hsqrt(__hip_bfloat16 a) { return sqrtf(a); }
KERNELSET_BF16 __hip_bfloat16 hrsqrt(__hip_bfloat16 a) { return 1.0f / sqrtf(a); }
KERNELSET_BF16 __hip_bfloat16 hrcp(__hip_bfloat16 a) { return 1.0f / static_cast<float>(a); }
KERNELSET_BF16 __hip_bfloat16 hrint(__hip_bfloat16 a) { return rintf(a); }

KERNELSET_BF16 __hip_bfloat162 __hadd2(__hip_bfloat162 a, __hip_bfloat162 b) { return a + b; }
KERNELSET_BF16 __hip_bfloat162 __hsub2(__hip_bfloat162 a, __hip_bfloat162 b) { return a - b; }
KERNELSET_BF16 __hip_bfloat162 __hmul2(__hip_bfloat162 a, __hip_bfloat162 b) { return a * b; }
KERNELSET_BF16 __hip_bfloat162 __h2div(__hip_bfloat162 a, __hip_bfloat162 b) { return a / b; }
KERNELSET_BF16 __hip_bfloat162 __hneg2(__hip_bfloat162 a) { return {-a.x, -a.y}; }
KERNELSET_BF16 __hip_bfloat162 __habs2(__hip_bfloat162 a) { return {__habs(a.x), __habs(a.y)}; }
KERNELSET_BF16 __hip_bfloat162 __hmax2(__hip_bfloat162 a, __hip_bfloat162 b) {
  return {__hmax(a.x, b.x), __hmax(a.y, b.y)};
}
KERNELSET_BF16 __hip_bfloat162 __hmin2(__hip_bfloat162 a, __hip_bfloat162 b) {
  return {__hmin(a.x, b.x), __hmin(a.y, b.y)};
}
KERNELSET_BF16 __hip_bfloat162 __hfma2(__hip_bfloat162 a, __hip_bfloat162 b, __hip_bfloat162 c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
KERNELSET_BF16 __hip_bfloat162 h2exp(__hip_bfloat162 a) { return {hexp(a.x), hexp(a.y)}; }

#undef KERNELSET_BF16
#endif
#undef KERNELSET_HAS_HIP_BF16
#endif
