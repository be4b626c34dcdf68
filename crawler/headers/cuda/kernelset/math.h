// The float overloads of <cmath>'s names at global scope: clang declares them and leaves their bodies to CUDA's headers.
#pragma once
#define KS_FLOAT(NAME) static __device__ float NAME(float x) { return ::NAME##f(x); }
KS_FLOAT(acosh) KS_FLOAT(asinh) KS_FLOAT(atanh) KS_FLOAT(cbrt) KS_FLOAT(erf) KS_FLOAT(erfc) KS_FLOAT(exp2)
KS_FLOAT(expm1) KS_FLOAT(lgamma) KS_FLOAT(log1p) KS_FLOAT(log2) KS_FLOAT(logb) KS_FLOAT(nearbyint) KS_FLOAT(rint)
KS_FLOAT(round) KS_FLOAT(tgamma) KS_FLOAT(trunc)
#undef KS_FLOAT
#define KS_FLOAT2(NAME) static __device__ float NAME(float x, float y) { return ::NAME##f(x, y); }
KS_FLOAT2(copysign) KS_FLOAT2(fdim) KS_FLOAT2(fmax) KS_FLOAT2(fmin) KS_FLOAT2(hypot) KS_FLOAT2(nextafter)
KS_FLOAT2(remainder)
#undef KS_FLOAT2
static __device__ float fma(float x, float y, float z) { return ::fmaf(x, y, z); }
static __device__ int ilogb(float x) { return ::ilogbf(x); }
static __device__ long lrint(float x) { return ::lrintf(x); }
static __device__ long lround(float x) { return ::lroundf(x); }
static __device__ long long llrint(float x) { return ::llrintf(x); }
static __device__ long long llround(float x) { return ::llroundf(x); }
static __device__ float remquo(float x, float y, int *quotient) { return ::remquof(x, y, quotient); }
static __device__ float scalbn(float x, int by) { return ::scalbnf(x, by); }
static __device__ float scalbln(float x, long by) { return ::scalblnf(x, by); }
static __device__ double nan(const char *) { return __builtin_nan(""); }
static __device__ float nanf(const char *) { return __builtin_nanf(""); }
// What CUDA has beside <cmath>: its own headers overload these for float, clang's have them for double alone, and would
// compute in double what nvcc computes in float. As templates for float alone they leave calls with integers, and a
// project's own overloads, as they are.
#include <kernelset/sincos.h>
#define KS_FOR_FLOAT                  \
  template <typename T>               \
  static __device__ inline typename std::enable_if<std::is_same<T, float>::value, float>::type
#define KS_FLOAT(NAME) \
  KS_FOR_FLOAT NAME(T x) { return ::NAME##f(x); }
KS_FLOAT(cospi) KS_FLOAT(cyl_bessel_i0) KS_FLOAT(cyl_bessel_i1) KS_FLOAT(erfcinv) KS_FLOAT(erfcx) KS_FLOAT(erfinv)
KS_FLOAT(exp10) KS_FLOAT(j0) KS_FLOAT(j1) KS_FLOAT(normcdf) KS_FLOAT(normcdfinv) KS_FLOAT(rcbrt) KS_FLOAT(sinpi)
KS_FLOAT(y0) KS_FLOAT(y1)
#undef KS_FLOAT
KS_FOR_FLOAT jn(int n, T x) { return ::jnf(n, x); }
KS_FOR_FLOAT yn(int n, T x) { return ::ynf(n, x); }
#undef KS_FOR_FLOAT
