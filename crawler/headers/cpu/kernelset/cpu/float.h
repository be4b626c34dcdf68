// Math functions beyond those of C, and the fast ones, which are as exact here as the others.
// Rule: CUDA Math API, "Single Precision Mathematical Functions", "... Intrinsics", and the same for double precision.
#pragma once

KS_RUNTIME_BEGIN
namespace kernelset {
constexpr double pi = 3.14159265358979323846;
// exact at multiples of a half, where sin(pi * x) is not
KS_HD double sin_of_pi(double x) {
  const double turn = ::fmod(x, 2.0), size = ::fabs(turn);
  if (size == 0.0 || size == 1.0) return ::copysign(0.0, x);
  if (size == 0.5 || size == 1.5) return (size == 0.5) == (turn > 0) ? 1.0 : -1.0;
  return ::sin(turn * pi);
}
// a half that is added to a large number is lost
KS_HD double cos_of_pi(double x) { return sin_of_pi(::fmod(::fabs(x), 2.0) + 0.5); }
// Newton's steps from a start that is right to three digits: erf has no inverse in C
KS_HD double inverse_erf(double x) {
  if (!(x > -1.0 && x < 1.0)) return x == 1.0 ? HUGE_VAL : x == -1.0 ? -HUGE_VAL : NAN;
  const double tail = ::log(1.0 - x * x), part = 2.0 / (pi * 0.147) + tail / 2.0;
  double root = ::copysign(::sqrt(::sqrt(part * part - tail / 0.147) - part), x);
  for (int step = 0; step < 3; ++step) {
    root -= (::erf(root) - x) / (2.0 / ::sqrt(pi) * ::exp(-root * root));
  }
  return root;
}
// Where little is left, 1 - x is 1: Newton's steps by logarithms, from the leading term for large roots
KS_HD double inverse_erfc(double x) {
  if (!(x > 0.0 && x < 2.0)) return x == 0.0 ? HUGE_VAL : x == 2.0 ? -HUGE_VAL : NAN;
  if (x > 0.01) return inverse_erf(1.0 - x);
  const double size = -::log(x * ::sqrt(pi));
  double root = ::sqrt(size - ::log(size) / 2.0);
  for (int step = 0; step < 5; ++step) {
    const double left = ::erfc(root);
    root += (::log(left) - ::log(x)) * left / (2.0 / ::sqrt(pi) * ::exp(-root * root));
  }
  return root;
}
// exp(x * x) overflows where erfc(x) vanishes: the first terms of the asymptotic series (Abramowitz and Stegun 7.1.23)
KS_HD double scaled_erfc(double x) {
  if (x < 25.0) return ::exp(x * x) * ::erfc(x);
  const double part = 1.0 / (2.0 * x * x);
  return (1.0 - part * (1.0 - 3.0 * part * (1.0 - 5.0 * part))) / (x * ::sqrt(pi));
}
}  // namespace kernelset

#define KS_BOTH(NAME, EXPRESSION)                                                               \
  KS_D double NAME(double x) { return EXPRESSION; }                                             \
  KS_D float NAME##f(float value) {                                                             \
    const double x = value;                                                                     \
    return static_cast<float>(EXPRESSION);                                                      \
  }
KS_D double rsqrt(double x) { return 1.0 / ::sqrt(x); }
KS_D float rsqrtf(float x) { return 1.0f / ::sqrtf(x); }
KS_D float rsqrt(float x) { return rsqrtf(x); }
KS_BOTH(rcbrt, 1.0 / ::cbrt(x))
KS_BOTH(sinpi, kernelset::sin_of_pi(x))
KS_BOTH(cospi, kernelset::cos_of_pi(x))
KS_BOTH(normcdf, 0.5 * ::erfc(-x / 1.41421356237309504880))
KS_BOTH(erfinv, kernelset::inverse_erf(x))
KS_BOTH(erfcinv, kernelset::inverse_erfc(x))
KS_BOTH(normcdfinv, -1.41421356237309504880 * kernelset::inverse_erfc(2.0 * x))
KS_BOTH(erfcx, kernelset::scaled_erfc(x))
#undef KS_BOTH
KS_D void sincospi(double x, double *s, double *c) { *s = sinpi(x), *c = cospi(x); }
KS_D void sincospif(float x, float *s, float *c) { *s = sinpif(x), *c = cospif(x); }
KS_D void sincospi(float x, float *s, float *c) { sincospif(x, s, c); }
KS_D float rhypotf(float x, float y) { return 1.0f / ::hypotf(x, y); }
KS_D double rhypot(double x, double y) { return 1.0 / ::hypot(x, y); }
KS_D double norm3d(double a, double b, double c) { return ::sqrt(a * a + b * b + c * c); }
KS_D double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
KS_D double norm4d(double a, double b, double c, double d) { return ::sqrt(a * a + b * b + c * c + d * d); }
KS_D double rnorm4d(double a, double b, double c, double d) { return 1.0 / norm4d(a, b, c, d); }
KS_D float norm3df(float a, float b, float c) { return static_cast<float>(norm3d(a, b, c)); }
KS_D float rnorm3df(float a, float b, float c) { return static_cast<float>(rnorm3d(a, b, c)); }
KS_D float norm4df(float a, float b, float c, float d) { return static_cast<float>(norm4d(a, b, c, d)); }
KS_D float rnorm4df(float a, float b, float c, float d) { return static_cast<float>(rnorm4d(a, b, c, d)); }
KS_D float saturate(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
KS_D float fdividef(float a, float b) { return a / b; }
KS_D float __fdividef(float a, float b) { return a / b; }
KS_D float __saturatef(float x) { return saturate(x); }

// glibc has declared the fast names for itself
#define KS_FAST(NAME, FUNCTION) \
  KS_D float ks_fast_##NAME(float x) { return FUNCTION; }
KS_FAST(exp, ::expf(x))
KS_FAST(exp10, ::powf(10.0f, x))
KS_FAST(log, ::logf(x))
KS_FAST(log2, ::log2f(x))
KS_FAST(log10, ::log10f(x))
KS_FAST(sin, ::sinf(x))
KS_FAST(cos, ::cosf(x))
KS_FAST(tan, ::tanf(x))
KS_FAST(tanh, ::tanhf(x))
#undef KS_FAST
KS_D float ks_fast_pow(float x, float y) { return ::powf(x, y); }
KS_D void ks_fast_sincos(float x, float *s, float *c) { *s = ::sinf(x), *c = ::cosf(x); }
#define __expf ks_fast_exp
#define __exp10f ks_fast_exp10
#define __logf ks_fast_log
#define __log2f ks_fast_log2
#define __log10f ks_fast_log10
#define __sinf ks_fast_sin
#define __cosf ks_fast_cos
#define __tanf ks_fast_tan
#define __tanhf ks_fast_tanh
#define __powf ks_fast_pow
#define __sincosf ks_fast_sincos
KS_D void sincos(float x, float *s, float *c) { *s = ::sinf(x), *c = ::cosf(x); }
KS_RUNTIME_END
