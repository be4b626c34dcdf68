// __half, __nv_bfloat16 and their pairs: complete types on both sides, computed in float.
// Rule: CUDA Math API, "Half Precision Intrinsics" and "Bfloat16 Precision Intrinsics": each operation rounds once to
// nearest even, which computing in float and rounding gives for +, -, *, / and sqrt (float has over 2p + 2 bits).
#pragma once
#include <kernelset/device.h>

static KS_HD unsigned short ks_half_bits(float x) { return __builtin_bit_cast(unsigned short, (_Float16)x); }
static KS_HD float ks_half_value(unsigned short x) { return (float)__builtin_bit_cast(_Float16, x); }
static KS_HD unsigned short ks_bfloat16_bits(float x) {
  unsigned int bits = __builtin_bit_cast(unsigned int, x);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fff;
  return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
static KS_HD float ks_bfloat16_value(unsigned short x) { return __builtin_bit_cast(float, (unsigned int)x << 16); }


struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
struct __attribute__((aligned(2))) __half {
  unsigned short __x;
  __half() = default;
  KS_HD constexpr __half(__half_raw raw) : __x(raw.x) {}
  KS_HD __half(float v) : __x(ks_half_bits(v)) {}
  KS_HD __half(_Float16 v) : __x(__builtin_bit_cast(unsigned short, v)) {}
  KS_HD __half(double v) : __x(ks_half_bits((float)v)) {}
  KS_HD __half(int v) : __x(ks_half_bits((float)v)) {}
  KS_HD __half(unsigned int v) : __x(ks_half_bits((float)v)) {}
  KS_HD __half(short v) : __x(ks_half_bits((float)v)) {}
  KS_HD __half(unsigned short v) : __x(ks_half_bits((float)v)) {}
  KS_HD __half(long v) : __x(ks_half_bits((float)v)) {}
  KS_HD __half(unsigned long v) : __x(ks_half_bits((float)v)) {}
  KS_HD __half(long long v) : __x(ks_half_bits((float)v)) {}
  KS_HD __half(unsigned long long v) : __x(ks_half_bits((float)v)) {}
  KS_HD operator float() const { return ks_half_value(__x); }
  KS_HD operator __half_raw() const { return __half_raw{__x}; }
  KS_HD explicit operator bool() const { return (__x & 0x7fff) != 0; }
  KS_HD explicit operator double() const { return (double)ks_half_value(__x); }
  KS_HD explicit operator int() const { return (int)ks_half_value(__x); }
  KS_HD explicit operator unsigned int() const { return (unsigned int)ks_half_value(__x); }
  KS_HD explicit operator short() const { return (short)ks_half_value(__x); }
  KS_HD explicit operator unsigned short() const { return (unsigned short)ks_half_value(__x); }
  KS_HD explicit operator char() const { return (char)ks_half_value(__x); }
  KS_HD explicit operator signed char() const { return (signed char)ks_half_value(__x); }
  KS_HD explicit operator unsigned char() const { return (unsigned char)ks_half_value(__x); }
  KS_HD explicit operator long() const { return (long)ks_half_value(__x); }
  KS_HD explicit operator unsigned long() const { return (unsigned long)ks_half_value(__x); }
  KS_HD explicit operator long long() const { return (long long)ks_half_value(__x); }
  KS_HD explicit operator unsigned long long() const { return (unsigned long long)ks_half_value(__x); }
  KS_HD __half &operator+=(__half o) { return *this = __half((float)*this + (float)o); }
  KS_HD __half &operator-=(__half o) { return *this = __half((float)*this - (float)o); }
  KS_HD __half &operator*=(__half o) { return *this = __half((float)*this * (float)o); }
  KS_HD __half &operator/=(__half o) { return *this = __half((float)*this / (float)o); }
  KS_HD __half &operator++() { return *this = __half((float)*this + 1.0f); }
  KS_HD __half &operator--() { return *this = __half((float)*this - 1.0f); }
  // for halves alone: what only converts to one, as PyTorch's own half does, has operators of its own
  friend KS_HD __half operator+(__half a, __half b) { return __half((float)a + (float)b); }
  friend KS_HD __half operator-(__half a, __half b) { return __half((float)a - (float)b); }
  friend KS_HD __half operator*(__half a, __half b) { return __half((float)a * (float)b); }
  friend KS_HD __half operator/(__half a, __half b) { return __half((float)a / (float)b); }
  friend KS_HD __half operator-(__half a) { return __half{__half_raw{(unsigned short)(a.__x ^ 0x8000)}}; }
  friend KS_HD __half operator+(__half a) { return a; }
  friend KS_HD bool operator==(__half a, __half b) { return (float)a == (float)b; }
  friend KS_HD bool operator!=(__half a, __half b) { return (float)a != (float)b; }
  friend KS_HD bool operator<(__half a, __half b) { return (float)a < (float)b; }
  friend KS_HD bool operator>(__half a, __half b) { return (float)a > (float)b; }
  friend KS_HD bool operator<=(__half a, __half b) { return (float)a <= (float)b; }
  friend KS_HD bool operator>=(__half a, __half b) { return (float)a >= (float)b; }
};
struct __attribute__((aligned(4))) __half2 {
  __half x, y;
  __half2() = default;
  KS_HD __half2(__half x, __half y) : x(x), y(y) {}
  KS_HD __half2(const __half2_raw &raw) : x(__half_raw{raw.x}), y(__half_raw{raw.y}) {}
  KS_HD operator __half2_raw() const { return __half2_raw{__half_raw(x).x, __half_raw(y).x}; }
};
static KS_HD __half2 operator+(__half2 a, __half2 b) { return __half2(a.x + b.x, a.y + b.y); }
static KS_HD __half2 &operator+=(__half2 &a, __half2 b) { return a = a + b; }
static KS_HD __half2 operator-(__half2 a, __half2 b) { return __half2(a.x - b.x, a.y - b.y); }
static KS_HD __half2 &operator-=(__half2 &a, __half2 b) { return a = a - b; }
static KS_HD __half2 operator*(__half2 a, __half2 b) { return __half2(a.x * b.x, a.y * b.y); }
static KS_HD __half2 &operator*=(__half2 &a, __half2 b) { return a = a * b; }
static KS_HD __half2 operator/(__half2 a, __half2 b) { return __half2(a.x / b.x, a.y / b.y); }
static KS_HD __half2 &operator/=(__half2 &a, __half2 b) { return a = a / b; }
static KS_HD __half2 operator-(__half2 a) { return __half2(-a.x, -a.y); }
static KS_HD __half2 operator+(__half2 a) { return a; }
static KS_HD bool operator==(__half2 a, __half2 b) { return a.x == b.x && a.y == b.y; }

static KS_HD __half __float2half(const float a) { return __half(a); }
static KS_HD __half __float2half_rn(float a) { return __half(a); }
static KS_HD __half __float2half_rz(float a) { return __half(a); }
static KS_HD __half __float2half_ru(float a) { return __half(a); }
static KS_HD __half __float2half_rd(float a) { return __half(a); }
static KS_HD __half __double2half(double a) { return __half(a); }
static KS_HD float __half2float(__half a) { return (float)a; }
static KS_HD __half2 __float2half2_rn(float a) { return __half2(__half(a), __half(a)); }
static KS_HD __half2 __floats2half2_rn(float a, float b) { return __half2(__half(a), __half(b)); }
static KS_HD __half2 __float22half2_rn(float2 a) { return __half2(__half(a.x), __half(a.y)); }
static KS_HD float2 __half22float2(__half2 a) { return float2{(float)a.x, (float)a.y}; }
static KS_HD float __low2float(__half2 a) { return (float)a.x; }
static KS_HD float __high2float(__half2 a) { return (float)a.y; }
static KS_HD __half __low2half(__half2 a) { return a.x; }
static KS_HD __half __high2half(__half2 a) { return a.y; }
static KS_HD __half2 __low2half2(__half2 a) { return __half2(a.x, a.x); }
static KS_HD __half2 __high2half2(__half2 a) { return __half2(a.y, a.y); }
static KS_HD __half2 __lowhigh2highlow(__half2 a) { return __half2(a.y, a.x); }
static KS_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
static KS_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
static KS_HD __half2 __halves2half2(__half a, __half b) { return __half2(a, b); }
static KS_HD __half2 __half2half2(__half a) { return __half2(a, a); }
static KS_HD __half2 make_half2(__half a, __half b) { return __half2(a, b); }
static KS_HD unsigned short __half_as_ushort(__half a) { return a.__x; }
static KS_HD short __half_as_short(__half a) { return (short)a.__x; }
static KS_HD __half __ushort_as_half(unsigned short a) { return __half{__half_raw{a}}; }
static KS_HD __half __short_as_half(short a) { return __half{__half_raw{(unsigned short)a}}; }
static KS_HD bool __hisnan(__half a) { return (float)a != (float)a; }
static KS_HD int __hisinf(__half a) { return (a.__x & 0x7fff) == 0x7c00; }
static KS_HD __half __hneg(__half a) { return -a; }
static KS_HD __half __habs(__half a) { return __half{__half_raw{(unsigned short)(a.__x & 0x7fff)}}; }
static KS_HD __half __hfma(__half a, __half b, __half c) { return __half((float)a * (float)b + (float)c); }
static KS_HD __half __hfma_relu(__half a, __half b, __half c) { float r = (float)a * (float)b + (float)c; return __half(r < 0.0f ? 0.0f : r); }
static KS_HD __half2 __hfma2(__half2 a, __half2 b, __half2 c) { return __half2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
static KS_HD __half2 __hneg2(__half2 a) { return __half2(-a.x, -a.y); }
static KS_HD __half2 __habs2(__half2 a) { return __half2(__habs(a.x), __habs(a.y)); }
static KS_HD __half __hmin(__half a, __half b) { return __hisnan(a) || (float)b < (float)a ? b : a; }
static KS_HD __half __hmax(__half a, __half b) { return __hisnan(a) || (float)a < (float)b ? b : a; }
static KS_HD __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
static KS_HD __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
static KS_HD __half __hadd(__half a, __half b) { return a + b; }
static KS_HD __half __hadd_rn(__half a, __half b) { return a + b; }
static KS_HD __half2 __hadd2(__half2 a, __half2 b) { return a + b; }
static KS_HD __half __hsub(__half a, __half b) { return a - b; }
static KS_HD __half __hsub_rn(__half a, __half b) { return a - b; }
static KS_HD __half2 __hsub2(__half2 a, __half2 b) { return a - b; }
static KS_HD __half __hmul(__half a, __half b) { return a * b; }
static KS_HD __half __hmul_rn(__half a, __half b) { return a * b; }
static KS_HD __half2 __hmul2(__half2 a, __half2 b) { return a * b; }
static KS_HD __half __hmax_nan(__half a, __half b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }
static KS_HD __half __hmin_nan(__half a, __half b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }
static KS_HD __half2 __hmax2_nan(__half2 a, __half2 b) { return __half2(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
static KS_HD __half2 __hmin2_nan(__half2 a, __half2 b) { return __half2(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
static KS_HD __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) { return __half2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y)); }
static KS_HD __half __hdiv(__half a, __half b) { return a / b; }
static KS_HD __half __hdiv_rn(__half a, __half b) { return a / b; }
static KS_HD __half2 __h2div(__half2 a, __half2 b) { return a / b; }
static KS_HD bool __heq(__half a, __half b) { return (float)a == (float)b; }
static KS_HD bool __hbeq2(__half2 a, __half2 b) { return (float)a.x == (float)b.x && (float)a.y == (float)b.y; }
static KS_HD __half2 __heq2(__half2 a, __half2 b) { return __half2(__half((float)a.x == (float)b.x ? 1.0f : 0.0f), __half((float)a.y == (float)b.y ? 1.0f : 0.0f)); }
static KS_HD bool __hne(__half a, __half b) { return ((float)a < (float)b || (float)a > (float)b); }
static KS_HD bool __hbne2(__half2 a, __half2 b) { return ((float)a.x < (float)b.x || (float)a.x > (float)b.x) && ((float)a.y < (float)b.y || (float)a.y > (float)b.y); }
static KS_HD __half2 __hne2(__half2 a, __half2 b) { return __half2(__half(((float)a.x < (float)b.x || (float)a.x > (float)b.x) ? 1.0f : 0.0f), __half(((float)a.y < (float)b.y || (float)a.y > (float)b.y) ? 1.0f : 0.0f)); }
static KS_HD bool __hlt(__half a, __half b) { return (float)a < (float)b; }
static KS_HD bool __hblt2(__half2 a, __half2 b) { return (float)a.x < (float)b.x && (float)a.y < (float)b.y; }
static KS_HD __half2 __hlt2(__half2 a, __half2 b) { return __half2(__half((float)a.x < (float)b.x ? 1.0f : 0.0f), __half((float)a.y < (float)b.y ? 1.0f : 0.0f)); }
static KS_HD bool __hgt(__half a, __half b) { return (float)a > (float)b; }
static KS_HD bool __hbgt2(__half2 a, __half2 b) { return (float)a.x > (float)b.x && (float)a.y > (float)b.y; }
static KS_HD __half2 __hgt2(__half2 a, __half2 b) { return __half2(__half((float)a.x > (float)b.x ? 1.0f : 0.0f), __half((float)a.y > (float)b.y ? 1.0f : 0.0f)); }
static KS_HD bool __hle(__half a, __half b) { return (float)a <= (float)b; }
static KS_HD bool __hble2(__half2 a, __half2 b) { return (float)a.x <= (float)b.x && (float)a.y <= (float)b.y; }
static KS_HD __half2 __hle2(__half2 a, __half2 b) { return __half2(__half((float)a.x <= (float)b.x ? 1.0f : 0.0f), __half((float)a.y <= (float)b.y ? 1.0f : 0.0f)); }
static KS_HD bool __hge(__half a, __half b) { return (float)a >= (float)b; }
static KS_HD bool __hbge2(__half2 a, __half2 b) { return (float)a.x >= (float)b.x && (float)a.y >= (float)b.y; }
static KS_HD __half2 __hge2(__half2 a, __half2 b) { return __half2(__half((float)a.x >= (float)b.x ? 1.0f : 0.0f), __half((float)a.y >= (float)b.y ? 1.0f : 0.0f)); }
// comparisons that hold where one is no number, too, and masks of both kinds
#define KS_COMPARED(name, contrary, one, two)                                                                \
  static KS_HD bool __h##name##u(one a, one b) { return !__h##contrary(a, b); }                              \
  static KS_HD bool __hb##name##u2(two a, two b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); } \
  static KS_HD two __h##name##u2(two a, two b) {                                                             \
    return two(one(__h##name##u(a.x, b.x) ? 1.0f : 0.0f), one(__h##name##u(a.y, b.y) ? 1.0f : 0.0f));        \
  }                                                                                                          \
  static KS_HD unsigned __h##name##2_mask(two a, two b) {                                                    \
    return (__h##name(a.x, b.x) ? 0xffffu : 0u) | (__h##name(a.y, b.y) ? 0xffff0000u : 0u);                  \
  }                                                                                                          \
  static KS_HD unsigned __h##name##u2_mask(two a, two b) {                                                   \
    return (__h##name##u(a.x, b.x) ? 0xffffu : 0u) | (__h##name##u(a.y, b.y) ? 0xffff0000u : 0u);            \
  }
KS_COMPARED(eq, ne, __half, __half2)
KS_COMPARED(ne, eq, __half, __half2)
KS_COMPARED(lt, ge, __half, __half2)
KS_COMPARED(le, gt, __half, __half2)
KS_COMPARED(gt, le, __half, __half2)
KS_COMPARED(ge, lt, __half, __half2)
static KS_HD __half hexp(__half a) { float v = (float)a; return __half(::expf(v)); }
static KS_HD __half2 h2exp(__half2 a) { return __half2(hexp(a.x), hexp(a.y)); }
static KS_HD __half hexp2(__half a) { float v = (float)a; return __half(::exp2f(v)); }
static KS_HD __half2 h2exp2(__half2 a) { return __half2(hexp2(a.x), hexp2(a.y)); }
static KS_HD __half hexp10(__half a) { float v = (float)a; return __half(::powf(10.0f, v)); }
static KS_HD __half2 h2exp10(__half2 a) { return __half2(hexp10(a.x), hexp10(a.y)); }
static KS_HD __half hlog(__half a) { float v = (float)a; return __half(::logf(v)); }
static KS_HD __half2 h2log(__half2 a) { return __half2(hlog(a.x), hlog(a.y)); }
static KS_HD __half hlog2(__half a) { float v = (float)a; return __half(::log2f(v)); }
static KS_HD __half2 h2log2(__half2 a) { return __half2(hlog2(a.x), hlog2(a.y)); }
static KS_HD __half hlog10(__half a) { float v = (float)a; return __half(::log10f(v)); }
static KS_HD __half2 h2log10(__half2 a) { return __half2(hlog10(a.x), hlog10(a.y)); }
static KS_HD __half hsqrt(__half a) { float v = (float)a; return __half(::sqrtf(v)); }
static KS_HD __half2 h2sqrt(__half2 a) { return __half2(hsqrt(a.x), hsqrt(a.y)); }
static KS_HD __half hrsqrt(__half a) { float v = (float)a; return __half(1.0f / ::sqrtf(v)); }
static KS_HD __half2 h2rsqrt(__half2 a) { return __half2(hrsqrt(a.x), hrsqrt(a.y)); }
static KS_HD __half hrcp(__half a) { float v = (float)a; return __half(1.0f / v); }
static KS_HD __half2 h2rcp(__half2 a) { return __half2(hrcp(a.x), hrcp(a.y)); }
static KS_HD __half hsin(__half a) { float v = (float)a; return __half(::sinf(v)); }
static KS_HD __half2 h2sin(__half2 a) { return __half2(hsin(a.x), hsin(a.y)); }
static KS_HD __half hcos(__half a) { float v = (float)a; return __half(::cosf(v)); }
static KS_HD __half2 h2cos(__half2 a) { return __half2(hcos(a.x), hcos(a.y)); }
static KS_HD __half htanh(__half a) { float v = (float)a; return __half(::tanhf(v)); }
static KS_HD __half2 h2tanh(__half2 a) { return __half2(htanh(a.x), htanh(a.y)); }
static KS_HD __half hceil(__half a) { float v = (float)a; return __half(::ceilf(v)); }
static KS_HD __half2 h2ceil(__half2 a) { return __half2(hceil(a.x), hceil(a.y)); }
static KS_HD __half hfloor(__half a) { float v = (float)a; return __half(::floorf(v)); }
static KS_HD __half2 h2floor(__half2 a) { return __half2(hfloor(a.x), hfloor(a.y)); }
static KS_HD __half hrint(__half a) { float v = (float)a; return __half(::rintf(v)); }
static KS_HD __half2 h2rint(__half2 a) { return __half2(hrint(a.x), hrint(a.y)); }
static KS_HD __half htrunc(__half a) { float v = (float)a; return __half(::truncf(v)); }
static KS_HD __half2 h2trunc(__half2 a) { return __half2(htrunc(a.x), htrunc(a.y)); }
static KS_HD __half __int2half_rn(int a) { return __half((float)a); }
static KS_HD int __half2int_rn(__half a) { return (int)::rintf((float)a); }
static KS_HD int __half2int_rz(__half a) { return (int)(float)a; }
static KS_HD __half __uint2half_rn(unsigned int a) { return __half((float)a); }
static KS_HD unsigned int __half2uint_rn(__half a) { return (unsigned int)::rintf((float)a); }
static KS_HD unsigned int __half2uint_rz(__half a) { return (unsigned int)(float)a; }
static KS_HD __half __short2half_rn(short a) { return __half((float)a); }
static KS_HD short __half2short_rn(__half a) { return (short)::rintf((float)a); }
static KS_HD short __half2short_rz(__half a) { return (short)(float)a; }
static KS_HD __half __ushort2half_rn(unsigned short a) { return __half((float)a); }
static KS_HD unsigned short __half2ushort_rn(__half a) { return (unsigned short)::rintf((float)a); }
static KS_HD unsigned short __half2ushort_rz(__half a) { return (unsigned short)(float)a; }
static KS_HD __half __ll2half_rn(long long a) { return __half((float)a); }
static KS_HD long long __half2ll_rn(__half a) { return (long long)::rintf((float)a); }
static KS_HD long long __half2ll_rz(__half a) { return (long long)(float)a; }
static KS_HD __half __ull2half_rn(unsigned long long a) { return __half((float)a); }
static KS_HD unsigned long long __half2ull_rn(__half a) { return (unsigned long long)::rintf((float)a); }
static KS_HD unsigned long long __half2ull_rz(__half a) { return (unsigned long long)(float)a; }
KS_D __half __ldg(const __half *p) { return *p; }
KS_D __half2 __ldg(const __half2 *p) { return *p; }
KS_D __half atomicAdd(__half *address, __half v) {
  KS_ATOMIC_CAS_LOOP(__half, unsigned short, old + v)
}
KS_D __half2 atomicAdd(__half2 *address, __half2 v) {
  KS_ATOMIC_CAS_LOOP(__half2, unsigned int, old + v)
}
KS_D __half __shfl_sync(unsigned int mask, __half v, int lane, int width = 32) { return __ushort_as_half((unsigned short)__shfl_sync(mask, (unsigned int)v.__x, lane, width)); }
KS_D __half2 __shfl_sync(unsigned int mask, __half2 v, int lane, int width = 32) { return __builtin_bit_cast(__half2, __shfl_sync(mask, __builtin_bit_cast(unsigned int, v), lane, width)); }
KS_D __half __shfl_up_sync(unsigned int mask, __half v, unsigned int lane, int width = 32) { return __ushort_as_half((unsigned short)__shfl_up_sync(mask, (unsigned int)v.__x, lane, width)); }
KS_D __half2 __shfl_up_sync(unsigned int mask, __half2 v, unsigned int lane, int width = 32) { return __builtin_bit_cast(__half2, __shfl_up_sync(mask, __builtin_bit_cast(unsigned int, v), lane, width)); }
KS_D __half __shfl_down_sync(unsigned int mask, __half v, unsigned int lane, int width = 32) { return __ushort_as_half((unsigned short)__shfl_down_sync(mask, (unsigned int)v.__x, lane, width)); }
KS_D __half2 __shfl_down_sync(unsigned int mask, __half2 v, unsigned int lane, int width = 32) { return __builtin_bit_cast(__half2, __shfl_down_sync(mask, __builtin_bit_cast(unsigned int, v), lane, width)); }
KS_D __half __shfl_xor_sync(unsigned int mask, __half v, int lane, int width = 32) { return __ushort_as_half((unsigned short)__shfl_xor_sync(mask, (unsigned int)v.__x, lane, width)); }
KS_D __half2 __shfl_xor_sync(unsigned int mask, __half2 v, int lane, int width = 32) { return __builtin_bit_cast(__half2, __shfl_xor_sync(mask, __builtin_bit_cast(unsigned int, v), lane, width)); }

struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };
struct __attribute__((aligned(2))) __nv_bfloat16 {
  unsigned short __x;
  __nv_bfloat16() = default;
  KS_HD constexpr __nv_bfloat16(__nv_bfloat16_raw raw) : __x(raw.x) {}
  KS_HD __nv_bfloat16(float v) : __x(ks_bfloat16_bits(v)) {}
  KS_HD __nv_bfloat16(double v) : __x(ks_bfloat16_bits((float)v)) {}
  KS_HD __nv_bfloat16(int v) : __x(ks_bfloat16_bits((float)v)) {}
  KS_HD __nv_bfloat16(unsigned int v) : __x(ks_bfloat16_bits((float)v)) {}
  KS_HD __nv_bfloat16(short v) : __x(ks_bfloat16_bits((float)v)) {}
  KS_HD __nv_bfloat16(unsigned short v) : __x(ks_bfloat16_bits((float)v)) {}
  KS_HD __nv_bfloat16(long v) : __x(ks_bfloat16_bits((float)v)) {}
  KS_HD __nv_bfloat16(unsigned long v) : __x(ks_bfloat16_bits((float)v)) {}
  KS_HD __nv_bfloat16(long long v) : __x(ks_bfloat16_bits((float)v)) {}
  KS_HD __nv_bfloat16(unsigned long long v) : __x(ks_bfloat16_bits((float)v)) {}
  KS_HD operator float() const { return ks_bfloat16_value(__x); }
  KS_HD operator __nv_bfloat16_raw() const { return __nv_bfloat16_raw{__x}; }
  KS_HD explicit operator bool() const { return (__x & 0x7fff) != 0; }
  KS_HD explicit operator double() const { return (double)ks_bfloat16_value(__x); }
  KS_HD explicit operator int() const { return (int)ks_bfloat16_value(__x); }
  KS_HD explicit operator unsigned int() const { return (unsigned int)ks_bfloat16_value(__x); }
  KS_HD explicit operator short() const { return (short)ks_bfloat16_value(__x); }
  KS_HD explicit operator unsigned short() const { return (unsigned short)ks_bfloat16_value(__x); }
  KS_HD explicit operator char() const { return (char)ks_bfloat16_value(__x); }
  KS_HD explicit operator signed char() const { return (signed char)ks_bfloat16_value(__x); }
  KS_HD explicit operator unsigned char() const { return (unsigned char)ks_bfloat16_value(__x); }
  KS_HD explicit operator long() const { return (long)ks_bfloat16_value(__x); }
  KS_HD explicit operator unsigned long() const { return (unsigned long)ks_bfloat16_value(__x); }
  KS_HD explicit operator long long() const { return (long long)ks_bfloat16_value(__x); }
  KS_HD explicit operator unsigned long long() const { return (unsigned long long)ks_bfloat16_value(__x); }
  KS_HD __nv_bfloat16 &operator+=(__nv_bfloat16 o) { return *this = __nv_bfloat16((float)*this + (float)o); }
  KS_HD __nv_bfloat16 &operator-=(__nv_bfloat16 o) { return *this = __nv_bfloat16((float)*this - (float)o); }
  KS_HD __nv_bfloat16 &operator*=(__nv_bfloat16 o) { return *this = __nv_bfloat16((float)*this * (float)o); }
  KS_HD __nv_bfloat16 &operator/=(__nv_bfloat16 o) { return *this = __nv_bfloat16((float)*this / (float)o); }
  KS_HD __nv_bfloat16 &operator++() { return *this = __nv_bfloat16((float)*this + 1.0f); }
  KS_HD __nv_bfloat16 &operator--() { return *this = __nv_bfloat16((float)*this - 1.0f); }
};
struct __attribute__((aligned(4))) __nv_bfloat162 {
  __nv_bfloat16 x, y;
  __nv_bfloat162() = default;
  KS_HD __nv_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) : x(x), y(y) {}
  KS_HD __nv_bfloat162(const __nv_bfloat162_raw &raw) : x(__nv_bfloat16_raw{raw.x}), y(__nv_bfloat16_raw{raw.y}) {}
  KS_HD operator __nv_bfloat162_raw() const { return __nv_bfloat162_raw{__nv_bfloat16_raw(x).x, __nv_bfloat16_raw(y).x}; }
};
static KS_HD __nv_bfloat16 operator+(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a + (float)b); }
static KS_HD __nv_bfloat162 operator+(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x + b.x, a.y + b.y); }
static KS_HD __nv_bfloat162 &operator+=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = a + b; }
static KS_HD __nv_bfloat16 operator-(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a - (float)b); }
static KS_HD __nv_bfloat162 operator-(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x - b.x, a.y - b.y); }
static KS_HD __nv_bfloat162 &operator-=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = a - b; }
static KS_HD __nv_bfloat16 operator*(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a * (float)b); }
static KS_HD __nv_bfloat162 operator*(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x * b.x, a.y * b.y); }
static KS_HD __nv_bfloat162 &operator*=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = a * b; }
static KS_HD __nv_bfloat16 operator/(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat16((float)a / (float)b); }
static KS_HD __nv_bfloat162 operator/(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x / b.x, a.y / b.y); }
static KS_HD __nv_bfloat162 &operator/=(__nv_bfloat162 &a, __nv_bfloat162 b) { return a = a / b; }
static KS_HD __nv_bfloat16 operator-(__nv_bfloat16 a) { return __nv_bfloat16{__nv_bfloat16_raw{(unsigned short)(a.__x ^ 0x8000)}}; }
static KS_HD __nv_bfloat16 operator+(__nv_bfloat16 a) { return a; }
static KS_HD __nv_bfloat162 operator-(__nv_bfloat162 a) { return __nv_bfloat162(-a.x, -a.y); }
static KS_HD __nv_bfloat162 operator+(__nv_bfloat162 a) { return a; }
static KS_HD bool operator==(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a == (float)b; }
static KS_HD bool operator!=(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a != (float)b; }
static KS_HD bool operator<(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a < (float)b; }
static KS_HD bool operator>(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a > (float)b; }
static KS_HD bool operator<=(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a <= (float)b; }
static KS_HD bool operator>=(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a >= (float)b; }
static KS_HD bool operator==(__nv_bfloat162 a, __nv_bfloat162 b) { return a.x == b.x && a.y == b.y; }

static KS_HD __nv_bfloat16 __float2bfloat16(const float a) { return __nv_bfloat16(a); }
static KS_HD __nv_bfloat16 __float2bfloat16_rn(float a) { return __nv_bfloat16(a); }
static KS_HD __nv_bfloat16 __float2bfloat16_rz(float a) { return __nv_bfloat16(a); }
static KS_HD __nv_bfloat16 __float2bfloat16_ru(float a) { return __nv_bfloat16(a); }
static KS_HD __nv_bfloat16 __float2bfloat16_rd(float a) { return __nv_bfloat16(a); }
static KS_HD __nv_bfloat16 __double2bfloat16(double a) { return __nv_bfloat16(a); }
static KS_HD float __bfloat162float(__nv_bfloat16 a) { return (float)a; }
static KS_HD __nv_bfloat162 __float2bfloat162_rn(float a) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(a)); }
static KS_HD __nv_bfloat162 __floats2bfloat162_rn(float a, float b) { return __nv_bfloat162(__nv_bfloat16(a), __nv_bfloat16(b)); }
static KS_HD __nv_bfloat162 __float22bfloat162_rn(float2 a) { return __nv_bfloat162(__nv_bfloat16(a.x), __nv_bfloat16(a.y)); }
static KS_HD float2 __bfloat1622float2(__nv_bfloat162 a) { return float2{(float)a.x, (float)a.y}; }
static KS_HD float __low2float(__nv_bfloat162 a) { return (float)a.x; }
static KS_HD float __high2float(__nv_bfloat162 a) { return (float)a.y; }
static KS_HD __nv_bfloat16 __low2bfloat16(__nv_bfloat162 a) { return a.x; }
static KS_HD __nv_bfloat16 __high2bfloat16(__nv_bfloat162 a) { return a.y; }
static KS_HD __nv_bfloat162 __low2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.x, a.x); }
static KS_HD __nv_bfloat162 __high2bfloat162(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.y); }
static KS_HD __nv_bfloat162 __lowhigh2highlow(__nv_bfloat162 a) { return __nv_bfloat162(a.y, a.x); }
static KS_HD __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.x, b.x); }
static KS_HD __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(a.y, b.y); }
static KS_HD __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
static KS_HD __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 a) { return __nv_bfloat162(a, a); }
static KS_HD __nv_bfloat162 make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b) { return __nv_bfloat162(a, b); }
static KS_HD unsigned short __bfloat16_as_ushort(__nv_bfloat16 a) { return a.__x; }
static KS_HD short __bfloat16_as_short(__nv_bfloat16 a) { return (short)a.__x; }
static KS_HD __nv_bfloat16 __ushort_as_bfloat16(unsigned short a) { return __nv_bfloat16{__nv_bfloat16_raw{a}}; }
static KS_HD __nv_bfloat16 __short_as_bfloat16(short a) { return __nv_bfloat16{__nv_bfloat16_raw{(unsigned short)a}}; }
static KS_HD bool __hisnan(__nv_bfloat16 a) { return (float)a != (float)a; }
static KS_HD int __hisinf(__nv_bfloat16 a) { return (a.__x & 0x7fff) == 0x7f80; }
static KS_HD __nv_bfloat16 __hneg(__nv_bfloat16 a) { return -a; }
static KS_HD __nv_bfloat16 __habs(__nv_bfloat16 a) { return __nv_bfloat16{__nv_bfloat16_raw{(unsigned short)(a.__x & 0x7fff)}}; }
static KS_HD __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { return __nv_bfloat16((float)a * (float)b + (float)c); }
static KS_HD __nv_bfloat16 __hfma_relu(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) { float r = (float)a * (float)b + (float)c; return __nv_bfloat16(r < 0.0f ? 0.0f : r); }
static KS_HD __nv_bfloat162 __hfma2(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) { return __nv_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }
static KS_HD __nv_bfloat162 __hneg2(__nv_bfloat162 a) { return __nv_bfloat162(-a.x, -a.y); }
static KS_HD __nv_bfloat162 __habs2(__nv_bfloat162 a) { return __nv_bfloat162(__habs(a.x), __habs(a.y)); }
static KS_HD __nv_bfloat16 __hmin(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) || (float)b < (float)a ? b : a; }
static KS_HD __nv_bfloat16 __hmax(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) || (float)a < (float)b ? b : a; }
static KS_HD __nv_bfloat162 __hmin2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y)); }
static KS_HD __nv_bfloat162 __hmax2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
static KS_HD __nv_bfloat16 __hadd(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
static KS_HD __nv_bfloat16 __hadd_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a + b; }
static KS_HD __nv_bfloat162 __hadd2(__nv_bfloat162 a, __nv_bfloat162 b) { return a + b; }
static KS_HD __nv_bfloat16 __hsub(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
static KS_HD __nv_bfloat16 __hsub_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a - b; }
static KS_HD __nv_bfloat162 __hsub2(__nv_bfloat162 a, __nv_bfloat162 b) { return a - b; }
static KS_HD __nv_bfloat16 __hmul(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
static KS_HD __nv_bfloat16 __hmul_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a * b; }
static KS_HD __nv_bfloat162 __hmul2(__nv_bfloat162 a, __nv_bfloat162 b) { return a * b; }
static KS_HD __nv_bfloat16 __hmax_nan(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }
static KS_HD __nv_bfloat16 __hmin_nan(__nv_bfloat16 a, __nv_bfloat16 b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }
static KS_HD __nv_bfloat162 __hmax2_nan(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmax_nan(a.x, b.x), __hmax_nan(a.y, b.y)); }
static KS_HD __nv_bfloat162 __hmin2_nan(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__hmin_nan(a.x, b.x), __hmin_nan(a.y, b.y)); }
static KS_HD __nv_bfloat162 __hfma2_relu(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
  return __nv_bfloat162(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));
}
static KS_HD __nv_bfloat16 __hdiv(__nv_bfloat16 a, __nv_bfloat16 b) { return a / b; }
static KS_HD __nv_bfloat16 __hdiv_rn(__nv_bfloat16 a, __nv_bfloat16 b) { return a / b; }
static KS_HD __nv_bfloat162 __h2div(__nv_bfloat162 a, __nv_bfloat162 b) { return a / b; }
static KS_HD bool __heq(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a == (float)b; }
static KS_HD bool __hbeq2(__nv_bfloat162 a, __nv_bfloat162 b) { return (float)a.x == (float)b.x && (float)a.y == (float)b.y; }
static KS_HD __nv_bfloat162 __heq2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16((float)a.x == (float)b.x ? 1.0f : 0.0f), __nv_bfloat16((float)a.y == (float)b.y ? 1.0f : 0.0f)); }
static KS_HD bool __hne(__nv_bfloat16 a, __nv_bfloat16 b) { return ((float)a < (float)b || (float)a > (float)b); }
static KS_HD bool __hbne2(__nv_bfloat162 a, __nv_bfloat162 b) { return ((float)a.x < (float)b.x || (float)a.x > (float)b.x) && ((float)a.y < (float)b.y || (float)a.y > (float)b.y); }
static KS_HD __nv_bfloat162 __hne2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16(((float)a.x < (float)b.x || (float)a.x > (float)b.x) ? 1.0f : 0.0f), __nv_bfloat16(((float)a.y < (float)b.y || (float)a.y > (float)b.y) ? 1.0f : 0.0f)); }
static KS_HD bool __hlt(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a < (float)b; }
static KS_HD bool __hblt2(__nv_bfloat162 a, __nv_bfloat162 b) { return (float)a.x < (float)b.x && (float)a.y < (float)b.y; }
static KS_HD __nv_bfloat162 __hlt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16((float)a.x < (float)b.x ? 1.0f : 0.0f), __nv_bfloat16((float)a.y < (float)b.y ? 1.0f : 0.0f)); }
static KS_HD bool __hgt(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a > (float)b; }
static KS_HD bool __hbgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return (float)a.x > (float)b.x && (float)a.y > (float)b.y; }
static KS_HD __nv_bfloat162 __hgt2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16((float)a.x > (float)b.x ? 1.0f : 0.0f), __nv_bfloat16((float)a.y > (float)b.y ? 1.0f : 0.0f)); }
static KS_HD bool __hle(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a <= (float)b; }
static KS_HD bool __hble2(__nv_bfloat162 a, __nv_bfloat162 b) { return (float)a.x <= (float)b.x && (float)a.y <= (float)b.y; }
static KS_HD __nv_bfloat162 __hle2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16((float)a.x <= (float)b.x ? 1.0f : 0.0f), __nv_bfloat16((float)a.y <= (float)b.y ? 1.0f : 0.0f)); }
static KS_HD bool __hge(__nv_bfloat16 a, __nv_bfloat16 b) { return (float)a >= (float)b; }
static KS_HD bool __hbge2(__nv_bfloat162 a, __nv_bfloat162 b) { return (float)a.x >= (float)b.x && (float)a.y >= (float)b.y; }
static KS_HD __nv_bfloat162 __hge2(__nv_bfloat162 a, __nv_bfloat162 b) { return __nv_bfloat162(__nv_bfloat16((float)a.x >= (float)b.x ? 1.0f : 0.0f), __nv_bfloat16((float)a.y >= (float)b.y ? 1.0f : 0.0f)); }
KS_COMPARED(eq, ne, __nv_bfloat16, __nv_bfloat162)
KS_COMPARED(ne, eq, __nv_bfloat16, __nv_bfloat162)
KS_COMPARED(lt, ge, __nv_bfloat16, __nv_bfloat162)
KS_COMPARED(le, gt, __nv_bfloat16, __nv_bfloat162)
KS_COMPARED(gt, le, __nv_bfloat16, __nv_bfloat162)
KS_COMPARED(ge, lt, __nv_bfloat16, __nv_bfloat162)
#undef KS_COMPARED
static KS_HD __nv_bfloat16 hexp(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::expf(v)); }
static KS_HD __nv_bfloat162 h2exp(__nv_bfloat162 a) { return __nv_bfloat162(hexp(a.x), hexp(a.y)); }
static KS_HD __nv_bfloat16 hexp2(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::exp2f(v)); }
static KS_HD __nv_bfloat162 h2exp2(__nv_bfloat162 a) { return __nv_bfloat162(hexp2(a.x), hexp2(a.y)); }
static KS_HD __nv_bfloat16 hexp10(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::powf(10.0f, v)); }
static KS_HD __nv_bfloat162 h2exp10(__nv_bfloat162 a) { return __nv_bfloat162(hexp10(a.x), hexp10(a.y)); }
static KS_HD __nv_bfloat16 hlog(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::logf(v)); }
static KS_HD __nv_bfloat162 h2log(__nv_bfloat162 a) { return __nv_bfloat162(hlog(a.x), hlog(a.y)); }
static KS_HD __nv_bfloat16 hlog2(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::log2f(v)); }
static KS_HD __nv_bfloat162 h2log2(__nv_bfloat162 a) { return __nv_bfloat162(hlog2(a.x), hlog2(a.y)); }
static KS_HD __nv_bfloat16 hlog10(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::log10f(v)); }
static KS_HD __nv_bfloat162 h2log10(__nv_bfloat162 a) { return __nv_bfloat162(hlog10(a.x), hlog10(a.y)); }
static KS_HD __nv_bfloat16 hsqrt(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::sqrtf(v)); }
static KS_HD __nv_bfloat162 h2sqrt(__nv_bfloat162 a) { return __nv_bfloat162(hsqrt(a.x), hsqrt(a.y)); }
static KS_HD __nv_bfloat16 hrsqrt(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(1.0f / ::sqrtf(v)); }
static KS_HD __nv_bfloat162 h2rsqrt(__nv_bfloat162 a) { return __nv_bfloat162(hrsqrt(a.x), hrsqrt(a.y)); }
static KS_HD __nv_bfloat16 hrcp(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(1.0f / v); }
static KS_HD __nv_bfloat162 h2rcp(__nv_bfloat162 a) { return __nv_bfloat162(hrcp(a.x), hrcp(a.y)); }
static KS_HD __nv_bfloat16 hsin(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::sinf(v)); }
static KS_HD __nv_bfloat162 h2sin(__nv_bfloat162 a) { return __nv_bfloat162(hsin(a.x), hsin(a.y)); }
static KS_HD __nv_bfloat16 hcos(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::cosf(v)); }
static KS_HD __nv_bfloat162 h2cos(__nv_bfloat162 a) { return __nv_bfloat162(hcos(a.x), hcos(a.y)); }
static KS_HD __nv_bfloat16 htanh(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::tanhf(v)); }
static KS_HD __nv_bfloat162 h2tanh(__nv_bfloat162 a) { return __nv_bfloat162(htanh(a.x), htanh(a.y)); }
static KS_HD __nv_bfloat16 hceil(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::ceilf(v)); }
static KS_HD __nv_bfloat162 h2ceil(__nv_bfloat162 a) { return __nv_bfloat162(hceil(a.x), hceil(a.y)); }
static KS_HD __nv_bfloat16 hfloor(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::floorf(v)); }
static KS_HD __nv_bfloat162 h2floor(__nv_bfloat162 a) { return __nv_bfloat162(hfloor(a.x), hfloor(a.y)); }
static KS_HD __nv_bfloat16 hrint(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::rintf(v)); }
static KS_HD __nv_bfloat162 h2rint(__nv_bfloat162 a) { return __nv_bfloat162(hrint(a.x), hrint(a.y)); }
static KS_HD __nv_bfloat16 htrunc(__nv_bfloat16 a) { float v = (float)a; return __nv_bfloat16(::truncf(v)); }
static KS_HD __nv_bfloat162 h2trunc(__nv_bfloat162 a) { return __nv_bfloat162(htrunc(a.x), htrunc(a.y)); }
static KS_HD __nv_bfloat16 __int2bfloat16_rn(int a) { return __nv_bfloat16((float)a); }
static KS_HD int __bfloat162int_rn(__nv_bfloat16 a) { return (int)::rintf((float)a); }
static KS_HD int __bfloat162int_rz(__nv_bfloat16 a) { return (int)(float)a; }
static KS_HD __nv_bfloat16 __uint2bfloat16_rn(unsigned int a) { return __nv_bfloat16((float)a); }
static KS_HD unsigned int __bfloat162uint_rn(__nv_bfloat16 a) { return (unsigned int)::rintf((float)a); }
static KS_HD unsigned int __bfloat162uint_rz(__nv_bfloat16 a) { return (unsigned int)(float)a; }
static KS_HD __nv_bfloat16 __short2bfloat16_rn(short a) { return __nv_bfloat16((float)a); }
static KS_HD short __bfloat162short_rn(__nv_bfloat16 a) { return (short)::rintf((float)a); }
static KS_HD short __bfloat162short_rz(__nv_bfloat16 a) { return (short)(float)a; }
static KS_HD __nv_bfloat16 __ushort2bfloat16_rn(unsigned short a) { return __nv_bfloat16((float)a); }
static KS_HD unsigned short __bfloat162ushort_rn(__nv_bfloat16 a) { return (unsigned short)::rintf((float)a); }
static KS_HD unsigned short __bfloat162ushort_rz(__nv_bfloat16 a) { return (unsigned short)(float)a; }
static KS_HD __nv_bfloat16 __ll2bfloat16_rn(long long a) { return __nv_bfloat16((float)a); }
static KS_HD long long __bfloat162ll_rn(__nv_bfloat16 a) { return (long long)::rintf((float)a); }
static KS_HD long long __bfloat162ll_rz(__nv_bfloat16 a) { return (long long)(float)a; }
static KS_HD __nv_bfloat16 __ull2bfloat16_rn(unsigned long long a) { return __nv_bfloat16((float)a); }
static KS_HD unsigned long long __bfloat162ull_rn(__nv_bfloat16 a) { return (unsigned long long)::rintf((float)a); }
static KS_HD unsigned long long __bfloat162ull_rz(__nv_bfloat16 a) { return (unsigned long long)(float)a; }
KS_D __nv_bfloat16 __ldg(const __nv_bfloat16 *p) { return *p; }
KS_D __nv_bfloat162 __ldg(const __nv_bfloat162 *p) { return *p; }
KS_D __nv_bfloat16 atomicAdd(__nv_bfloat16 *address, __nv_bfloat16 v) {
  KS_ATOMIC_CAS_LOOP(__nv_bfloat16, unsigned short, old + v)
}
KS_D __nv_bfloat162 atomicAdd(__nv_bfloat162 *address, __nv_bfloat162 v) {
  KS_ATOMIC_CAS_LOOP(__nv_bfloat162, unsigned int, old + v)
}
KS_D __nv_bfloat16 __shfl_sync(unsigned int mask, __nv_bfloat16 v, int lane, int width = 32) { return __ushort_as_bfloat16((unsigned short)__shfl_sync(mask, (unsigned int)v.__x, lane, width)); }
KS_D __nv_bfloat162 __shfl_sync(unsigned int mask, __nv_bfloat162 v, int lane, int width = 32) { return __builtin_bit_cast(__nv_bfloat162, __shfl_sync(mask, __builtin_bit_cast(unsigned int, v), lane, width)); }
KS_D __nv_bfloat16 __shfl_up_sync(unsigned int mask, __nv_bfloat16 v, unsigned int lane, int width = 32) { return __ushort_as_bfloat16((unsigned short)__shfl_up_sync(mask, (unsigned int)v.__x, lane, width)); }
KS_D __nv_bfloat162 __shfl_up_sync(unsigned int mask, __nv_bfloat162 v, unsigned int lane, int width = 32) { return __builtin_bit_cast(__nv_bfloat162, __shfl_up_sync(mask, __builtin_bit_cast(unsigned int, v), lane, width)); }
KS_D __nv_bfloat16 __shfl_down_sync(unsigned int mask, __nv_bfloat16 v, unsigned int lane, int width = 32) { return __ushort_as_bfloat16((unsigned short)__shfl_down_sync(mask, (unsigned int)v.__x, lane, width)); }
KS_D __nv_bfloat162 __shfl_down_sync(unsigned int mask, __nv_bfloat162 v, unsigned int lane, int width = 32) { return __builtin_bit_cast(__nv_bfloat162, __shfl_down_sync(mask, __builtin_bit_cast(unsigned int, v), lane, width)); }
KS_D __nv_bfloat16 __shfl_xor_sync(unsigned int mask, __nv_bfloat16 v, int lane, int width = 32) { return __ushort_as_bfloat16((unsigned short)__shfl_xor_sync(mask, (unsigned int)v.__x, lane, width)); }
KS_D __nv_bfloat162 __shfl_xor_sync(unsigned int mask, __nv_bfloat162 v, int lane, int width = 32) { return __builtin_bit_cast(__nv_bfloat162, __shfl_xor_sync(mask, __builtin_bit_cast(unsigned int, v), lane, width)); }

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
typedef __half __nv_half;
typedef __half2 __nv_half2;
