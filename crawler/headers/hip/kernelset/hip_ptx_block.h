// What single instructions in blocks of inline assembly become, where C++ has no operator for them.
#ifndef KERNELSET_HIP_PTX_BLOCK_H
#define KERNELSET_HIP_PTX_BLOCK_H

namespace kernelset::ptx {

__device__ inline float sin(float x) { return __sinf(x); }
__device__ inline float cos(float x) { return __cosf(x); }

// where a thread stands
__device__ inline unsigned thread_x() { return threadIdx.x; }
__device__ inline unsigned thread_y() { return threadIdx.y; }
__device__ inline unsigned thread_z() { return threadIdx.z; }
__device__ inline unsigned threads_x() { return blockDim.x; }
__device__ inline unsigned threads_y() { return blockDim.y; }
__device__ inline unsigned threads_z() { return blockDim.z; }
__device__ inline unsigned block_x() { return blockIdx.x; }
__device__ inline unsigned block_y() { return blockIdx.y; }
__device__ inline unsigned block_z() { return blockIdx.z; }
__device__ inline unsigned blocks_x() { return gridDim.x; }
__device__ inline unsigned blocks_y() { return gridDim.y; }
__device__ inline unsigned blocks_z() { return gridDim.z; }
__device__ inline unsigned warp() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32u;
}
// the number of the compute unit, of its shader engine above it: bits 8 to 11 and 13 to 15 of HW_ID on GCN and CDNA,
// HW_ID1 on RDNA (operand of s_getreg: size - 1 in bits 11 to 15, offset in 6 to 10, register below)
__device__ inline unsigned multiprocessor() {
#if defined(KERNELSET_CPU)
  return 0;
#elif defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)
  constexpr unsigned hardware = 23;
  unsigned unit = __builtin_amdgcn_s_getreg(3u << 11 | 10u << 6 | hardware);
  return unit | __builtin_amdgcn_s_getreg(2u << 11 | 18u << 6 | hardware) << 4;
#else
  constexpr unsigned hardware = 4;
  unsigned unit = __builtin_amdgcn_s_getreg(3u << 11 | 8u << 6 | hardware);
  return unit | __builtin_amdgcn_s_getreg(2u << 11 | 13u << 6 | hardware) << 4;
#endif
}

template <class T>
__device__ inline T min(T a, T b) {
  if constexpr (std::is_same_v<T, float>) return fminf(a, b);
  else if constexpr (std::is_same_v<T, double>) return fmin(a, b);
  else return b < a ? b : a;
}
template <class T>
__device__ inline T max(T a, T b) {
  if constexpr (std::is_same_v<T, float>) return fmaxf(a, b);
  else if constexpr (std::is_same_v<T, double>) return fmax(a, b);
  else return a < b ? b : a;
}
template <class T>
__device__ inline T min_nan(T a, T b) {
  return a != a ? a : b != b ? b : ptx::min(a, b);
}
template <class T>
__device__ inline T max_nan(T a, T b) {
  return a != a ? a : b != b ? b : ptx::max(a, b);
}
template <class T>
__device__ inline T abs(T a) {
  if constexpr (std::is_same_v<T, float>) return fabsf(a);
  else if constexpr (std::is_same_v<T, double>) return fabs(a);
  else return a < T(0) ? T(-a) : a;
}
template <class T>
__device__ inline T fma(T a, T b, T c) {
  if constexpr (std::is_same_v<T, float>) return fmaf(a, b, c);
  else return ::fma(a, b, c);
}
// the sign of the first on the value of the second
template <class T>
__device__ inline T copysign(T a, T b) {
  if constexpr (std::is_same_v<T, float>) return copysignf(b, a);
  else return ::copysign(b, a);
}
// amounts beyond the width shift everything out
template <class T>
__device__ inline T shl(T a, T amount) {
  unsigned by = static_cast<unsigned>(amount);
  return by >= 8 * sizeof(T) ? T(0) : static_cast<T>(a << by);
}
template <class T>
__device__ inline T shr(T a, T amount) {
  unsigned by = static_cast<unsigned>(amount);
  return static_cast<T>(by >= 8 * sizeof(T) ? (a < T(0) ? T(-1) : T(0)) : a >> by);
}
template <class T>
__device__ inline unsigned popc(T a) {
  return sizeof(T) == 8 ? __popcll(a) : __popc(static_cast<unsigned>(a));
}
template <class T>
__device__ inline unsigned clz(T a) {
  return sizeof(T) == 8 ? __clzll(static_cast<long long>(a)) : __clz(static_cast<int>(a));
}
template <class T>
__device__ inline T brev(T a) {
  return sizeof(T) == 8 ? static_cast<T>(__brevll(a)) : static_cast<T>(__brev(static_cast<unsigned>(a)));
}
__device__ inline unsigned mul_hi(unsigned a, unsigned b) { return __umulhi(a, b); }
__device__ inline int mul_hi(int a, int b) { return __mulhi(a, b); }
__device__ inline unsigned long long mul_hi(unsigned long long a, unsigned long long b) { return __umul64hi(a, b); }
__device__ inline long long mul_hi(long long a, long long b) { return __mul64hi(a, b); }

// conversions: to an integer by what rounds, saturated as the hardware does it; NaN becomes 0
template <class T>
__device__ inline T rint(T a) {
  if constexpr (std::is_same_v<T, float>) return rintf(a);
  else return ::rint(a);
}
template <class T>
__device__ inline T trunc(T a) {
  if constexpr (std::is_same_v<T, float>) return truncf(a);
  else return ::trunc(a);
}
template <class T>
__device__ inline T floor(T a) {
  if constexpr (std::is_same_v<T, float>) return floorf(a);
  else return ::floor(a);
}
template <class T>
__device__ inline T ceil(T a) {
  if constexpr (std::is_same_v<T, float>) return ceilf(a);
  else return ::ceil(a);
}
template <class To, class From>
__device__ inline To saturated(From a) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(a != a ? From(0) : a < From(0) ? From(0) : a > From(1) ? From(1) : a);
  } else {
    constexpr To low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    if constexpr (std::is_floating_point_v<From>) {
      return a != a ? To(0) : a <= static_cast<From>(low) ? low : a >= static_cast<From>(high) ? high : static_cast<To>(a);
    } else {
      using Wide = std::conditional_t<std::is_signed_v<From>, long long, unsigned long long>;
      if (std::is_signed_v<From> && static_cast<long long>(a) < static_cast<long long>(low)) return low;
      return a > From(0) && static_cast<unsigned long long>(static_cast<Wide>(a)) > static_cast<unsigned long long>(high)
                 ? high
                 : static_cast<To>(a);
    }
  }
}
template <class To, class From>
__device__ inline To rounded(From a) {
  if constexpr (std::is_floating_point_v<To>) return static_cast<To>(a);
  else return saturated<To>(a);
}
template <class To, class From>
__device__ inline To convert(From a) {
  if constexpr (std::is_same_v<To, From>) return a;
  else if constexpr (std::is_same_v<From, __half>) return convert<To>(__half2float(a));
  else if constexpr (std::is_same_v<From, __hip_bfloat16>) return convert<To>(__bfloat162float(a));
  else if constexpr (std::is_same_v<To, __half>) return __float2half(static_cast<float>(a));
  else if constexpr (std::is_same_v<To, __hip_bfloat16>) return __float2bfloat16(static_cast<float>(a));
  else return static_cast<To>(a);
}
template <class Pair>
__device__ inline Pair pair_of(float low, float high) {
  if constexpr (std::is_same_v<Pair, __half2>) return __floats2half2_rn(low, high);
  else return __floats2bfloat162_rn(low, high);
}
// saturated, what is beyond the type, infinity too, becomes its greatest; rectified, what is below 0 becomes 0; NaN stays
template <class Pair, bool is_saturated, bool is_rectified>
__device__ inline Pair limited_pair_of(float low, float high) {
  constexpr float infinity = std::numeric_limits<float>::infinity(), finite = std::is_same_v<Pair, __half2> ? 65504.0f : 3.38953139e38f;
  constexpr float most = is_saturated ? finite : infinity, least = is_rectified ? 0.0f : -most;
  low = low > most ? most : low < least ? least : low;
  high = high > most ? most : high < least ? least : high;
  return pair_of<Pair>(low, high);
}

// all bits of each half where a comparison of the halves of two words holds
enum class Compare { eq, ne, lt, le, gt, ge };
template <Compare by, bool of_nan>
__device__ inline unsigned compared_halves(unsigned a, unsigned b) {
  unsigned result = 0;
#pragma unroll
  for (int at = 0; at < 2; ++at) {
    const float x = half_value(static_cast<unsigned short>(a >> 16 * at)), y = half_value(static_cast<unsigned short>(b >> 16 * at));
    const bool holds = by == Compare::eq ? x == y : by == Compare::ne ? x != y : by == Compare::lt ? x < y
                     : by == Compare::le ? x <= y : by == Compare::gt ? x > y : x >= y;
    if (x != x || y != y ? of_nan : holds) result |= 0xffffu << 16 * at;
  }
  return result;
}

// products of bytes with bytes, or with two halves of a word, and a sum of these
template <class A, class B, int from, int count>
__device__ inline unsigned dot(unsigned a, unsigned b, unsigned sum) {
#pragma unroll
  for (int at = 0; at < count; ++at) {
    const int factor = static_cast<A>(a >> 8 * sizeof(A) * at), other = static_cast<B>(b >> 8 * (from + at));
    sum += static_cast<unsigned>(factor * other);
  }
  return sum;
}

// a register as several narrower ones, the lowest first
template <class Whole, class Part, class... Parts>
__device__ inline Whole packed(Part first, Parts... rest) {
  Part parts[] = {first, static_cast<Part>(rest)...};
  Whole whole = 0;
#pragma unroll
  for (int at = 0; at < 1 + static_cast<int>(sizeof...(Parts)); ++at) {
    whole |= static_cast<Whole>(static_cast<Whole>(parts[at]) << (at * 8 * sizeof(Part)));
  }
  return whole;
}
template <class Part, int at, class Whole>
__device__ inline Part part(Whole whole) {
  return static_cast<Part>(whole >> (at * 8 * sizeof(Part)));
}

}  // namespace kernelset::ptx

#endif
