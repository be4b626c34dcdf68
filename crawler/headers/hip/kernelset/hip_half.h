// Half-precision functions that older HIP lacks.
#ifndef KERNELSET_HIP_HALF_H
#define KERNELSET_HIP_HALF_H

// in CUDA the bits; HIP's own begin with a number, so that `{0x7C00}` would be 31744 there
struct kernelset_half_raw : __half_raw {
  kernelset_half_raw() = default;
  template <typename T, typename = typename std::enable_if<std::is_integral<T>::value>::type>
  __host__ __device__ constexpr kernelset_half_raw(T bits)
      : __half_raw(__half_raw{.x = static_cast<unsigned short>(bits)}) {}
  __host__ __device__ kernelset_half_raw(const __half_raw &raw) : __half_raw(raw) {}
  __host__ __device__ kernelset_half_raw(const __half &value) : __half_raw(static_cast<__half_raw>(value)) {}
};
struct kernelset_half2_raw : __half2_raw {
  kernelset_half2_raw() = default;
  template <typename T, typename U> __host__ __device__ constexpr kernelset_half2_raw(T low, U high)
      : __half2_raw(__half2_raw{.x = static_cast<unsigned short>(low), .y = static_cast<unsigned short>(high)}) {}
  __host__ __device__ kernelset_half2_raw(const __half2_raw &raw) : __half2_raw(raw) {}
  __host__ __device__ kernelset_half2_raw(const __half2 &value) : __half2_raw(static_cast<__half2_raw>(value)) {}
};

KERNELSET_FILL __half __hmax(__half a, __half b) { return __half(fmaxf(__half2float(a), __half2float(b))); }
KERNELSET_FILL __half __hmin(__half a, __half b) { return __half(fminf(__half2float(a), __half2float(b))); }
KERNELSET_FILL __half __hmax_nan(__half a, __half b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }
KERNELSET_FILL __half __hmin_nan(__half a, __half b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }
KERNELSET_FILL __half __hadd_rn(__half a, __half b) { return __hadd(a, b); }
KERNELSET_FILL __half __hsub_rn(__half a, __half b) { return __hsub(a, b); }
KERNELSET_FILL __half __hmul_rn(__half a, __half b) { return __hmul(a, b); }
KERNELSET_FILL __half __hfma_relu(__half a, __half b, __half c) { return __hmax(__hfma(a, b, c), __half(0.0f)); }
KERNELSET_FILL __half htanh(__half a) { return __half(tanhf(__half2float(a))); }
KERNELSET_FILL __half __double2half(double a) { return __half(static_cast<float>(a)); }
KERNELSET_FILL signed char __half2char_rz(__half a) { return static_cast<signed char>(__half2float(a)); }
KERNELSET_FILL unsigned char __half2uchar_rz(__half a) { return static_cast<unsigned char>(__half2float(a)); }

#define KERNELSET_HALF2(name, one)                                                            \
  KERNELSET_FILL __half2 name(__half2 a, __half2 b) {                                         \
    return __halves2half2(one(__low2half(a), __low2half(b)), one(__high2half(a), __high2half(b))); \
  }
KERNELSET_HALF2(__hmax2, __hmax)
KERNELSET_HALF2(__hmin2, __hmin)
KERNELSET_HALF2(__hmax2_nan, __hmax_nan)
KERNELSET_HALF2(__hmin2_nan, __hmin_nan)
#undef KERNELSET_HALF2

#define KERNELSET_HALF2_MASK(name, one)                                          \
  KERNELSET_FILL unsigned name(__half2 a, __half2 b) {                           \
    return (one(__low2half(a), __low2half(b)) ? 0xffffu : 0u) |                  \
           (one(__high2half(a), __high2half(b)) ? 0xffff0000u : 0u);             \
  }
KERNELSET_HALF2_MASK(__heq2_mask, __heq)
KERNELSET_HALF2_MASK(__hne2_mask, __hne)
KERNELSET_HALF2_MASK(__hgt2_mask, __hgt)
KERNELSET_HALF2_MASK(__hge2_mask, __hge)
KERNELSET_HALF2_MASK(__hlt2_mask, __hlt)
KERNELSET_HALF2_MASK(__hle2_mask, __hle)
#undef KERNELSET_HALF2_MASK

// integers to and from bfloat16, which every float of 24 bits holds
#define KERNELSET_BF16_INTEGER(name, type)                                                                     \
  KERNELSET_FILL __hip_bfloat16 __##name##2bfloat16_rn(type a) { return __float2bfloat16(static_cast<float>(a)); } \
  KERNELSET_FILL type __bfloat162##name##_rn(__hip_bfloat16 a) { return static_cast<type>(rintf(__bfloat162float(a))); } \
  KERNELSET_FILL type __bfloat162##name##_rz(__hip_bfloat16 a) { return static_cast<type>(__bfloat162float(a)); } \
  KERNELSET_FILL type __bfloat162##name##_rd(__hip_bfloat16 a) { return static_cast<type>(floorf(__bfloat162float(a))); } \
  KERNELSET_FILL type __bfloat162##name##_ru(__hip_bfloat16 a) { return static_cast<type>(ceilf(__bfloat162float(a))); }
KERNELSET_BF16_INTEGER(short, short)
KERNELSET_BF16_INTEGER(ushort, unsigned short)
KERNELSET_BF16_INTEGER(int, int)
KERNELSET_BF16_INTEGER(uint, unsigned)
KERNELSET_BF16_INTEGER(ll, long long)
KERNELSET_BF16_INTEGER(ull, unsigned long long)
#undef KERNELSET_BF16_INTEGER
KERNELSET_FILL signed char __bfloat162char_rz(__hip_bfloat16 a) { return static_cast<signed char>(__bfloat162float(a)); }
KERNELSET_FILL unsigned char __bfloat162uchar_rz(__hip_bfloat16 a) {
  return static_cast<unsigned char>(__bfloat162float(a));
}

// the bits above a bfloat16's own decide; a step is one more in its bits, whatever the sign
static __device__ inline __hip_bfloat16 kernelset_bfloat16_moved(float a, bool away_above, bool away_below) {
  unsigned word = __float_as_uint(a);
  if ((word & 0x7fffffffu) > 0x7f800000u) return __float2bfloat16(a);
  const bool moves = (word & 0xffffu) && (word >> 31 ? away_below : away_above);
  return __hip_bfloat16_raw{static_cast<unsigned short>((word >> 16) + (moves ? 1u : 0u))};
}
KERNELSET_FILL __hip_bfloat16 __float2bfloat16_rz(float a) { return kernelset_bfloat16_moved(a, false, false); }
KERNELSET_FILL __hip_bfloat16 __float2bfloat16_ru(float a) { return kernelset_bfloat16_moved(a, true, false); }
KERNELSET_FILL __hip_bfloat16 __float2bfloat16_rd(float a) { return kernelset_bfloat16_moved(a, false, true); }
KERNELSET_FILL __hip_bfloat162 __low2bfloat162(__hip_bfloat162 a) { return __hip_bfloat162(a.x, a.x); }
KERNELSET_FILL __hip_bfloat162 __high2bfloat162(__hip_bfloat162 a) { return __hip_bfloat162(a.y, a.y); }
KERNELSET_FILL __hip_bfloat162 __lows2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) { return __hip_bfloat162(a.x, b.x); }
KERNELSET_FILL __hip_bfloat162 __highs2bfloat162(__hip_bfloat162 a, __hip_bfloat162 b) { return __hip_bfloat162(a.y, b.y); }
KERNELSET_FILL __half __hdiv_rn(__half a, __half b) { return __hdiv(a, b); }
KERNELSET_FILL __half2 __hfma2_relu(__half2 a, __half2 b, __half2 c) {
  return __hmax2(__hfma2(a, b, c), __float2half2_rn(0.0f));
}

// Before ROCm 6 the members of a pair are bits, where a compiler of that time brings its own headers. What takes halves
// in CUDA takes them as that, and not as numbers.
namespace kernelset {
template <class T>
constexpr bool is_of_pair = std::is_same_v<T, unsigned short> && std::is_same_v<decltype(__half2::x), unsigned short>;
template <class... T>
using of_pair = std::enable_if_t<(is_of_pair<T> || ...) && ((is_of_pair<T> || std::is_same_v<T, __half>) && ...)>;
static __host__ __device__ inline __half half_of(__half value) { return value; }
static __host__ __device__ inline __half half_of(unsigned short bits) { return __half(__half_raw{.x = bits}); }
}  // namespace kernelset
#define KERNELSET_OF_PAIR(name)                                                                \
  template <class... T, typename = kernelset::of_pair<T...>> __device__ inline auto name(T... of) { \
    return name(kernelset::half_of(of)...);                                                    \
  }
KERNELSET_OF_PAIR(__hadd)
KERNELSET_OF_PAIR(__hsub)
KERNELSET_OF_PAIR(__hmul)
KERNELSET_OF_PAIR(__hdiv)
KERNELSET_OF_PAIR(__hfma)
KERNELSET_OF_PAIR(__hmax)
KERNELSET_OF_PAIR(__hmin)
KERNELSET_OF_PAIR(__hneg)
KERNELSET_OF_PAIR(__habs)
KERNELSET_OF_PAIR(__heq)
KERNELSET_OF_PAIR(__hne)
KERNELSET_OF_PAIR(__hlt)
KERNELSET_OF_PAIR(__hle)
KERNELSET_OF_PAIR(__hgt)
KERNELSET_OF_PAIR(__hge)
KERNELSET_OF_PAIR(__half2float)
KERNELSET_OF_PAIR(__halves2half2)
#undef KERNELSET_OF_PAIR

KERNELSET_FILL __half2 h2tanh(__half2 a) { return __halves2half2(htanh(__low2half(a)), htanh(__high2half(a))); }
KERNELSET_FILL __half2 __hcmadd(__half2 a, __half2 b, __half2 c) {
  float real = __low2float(a) * __low2float(b) - __high2float(a) * __high2float(b) + __low2float(c);
  float imaginary = __low2float(a) * __high2float(b) + __high2float(a) * __low2float(b) + __high2float(c);
  return __floats2half2_rn(real, imaginary);
}

#endif
