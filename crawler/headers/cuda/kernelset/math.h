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
