// min and max for every mix of arithmetic types, as CUDA's own headers overload them; those of two ints stand in clang's
// device headers.
#pragma once
#include <kernelset/attributes.h>
#include <math.h>

#define KS_MINMAX(T)                                                     \
  static KS_HD constexpr T min(T a, T b) { return b < a ? b : a; }       \
  static KS_HD constexpr T max(T a, T b) { return a < b ? b : a; }
static __host__ inline constexpr int min(int a, int b) { return b < a ? b : a; }
static __host__ inline constexpr int max(int a, int b) { return a < b ? b : a; }
KS_MINMAX(unsigned int)
KS_MINMAX(long)
KS_MINMAX(unsigned long)
KS_MINMAX(long long)
KS_MINMAX(unsigned long long)
#undef KS_MINMAX
#define KS_MIXED(R, A, B)                                                                                \
  static KS_HD constexpr R min(A a, B b) { return (R)b < (R)a ? (R)b : (R)a; }                           \
  static KS_HD constexpr R max(A a, B b) { return (R)a < (R)b ? (R)b : (R)a; }
#define KS_MIXED2(R, A, B) KS_MIXED(R, A, B) KS_MIXED(R, B, A)
KS_MIXED2(unsigned int, int, unsigned int)
KS_MIXED2(long, int, long)
KS_MIXED2(long long, int, long long)
KS_MIXED2(unsigned long, int, unsigned long)
KS_MIXED2(unsigned long long, int, unsigned long long)
KS_MIXED2(unsigned long, unsigned int, unsigned long)
KS_MIXED2(unsigned long, long, unsigned long)
KS_MIXED2(long, unsigned int, long)
KS_MIXED2(unsigned long long, long long, unsigned long long)
#undef KS_MIXED2
#undef KS_MIXED
static KS_HD float min(float a, float b) { return ::fminf(a, b); }
static KS_HD float max(float a, float b) { return ::fmaxf(a, b); }
static KS_HD double min(double a, double b) { return ::fmin(a, b); }
static KS_HD double max(double a, double b) { return ::fmax(a, b); }
static KS_HD double min(float a, double b) { return ::fmin((double)a, b); }
static KS_HD double min(double a, float b) { return ::fmin(a, (double)b); }
static KS_HD double max(float a, double b) { return ::fmax((double)a, b); }
static KS_HD double max(double a, float b) { return ::fmax(a, (double)b); }
