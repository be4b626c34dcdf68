// Arithmetic in the rounding modes that HIP leaves out: the nearest number and on which side of it the true value lies.
#ifndef KERNELSET_HIP_ROUNDING_H
#define KERNELSET_HIP_ROUNDING_H

namespace kernelset::rounding {

enum Mode { down, up, zero };

__device__ inline float next(float from, float towards) { return nextafterf(from, towards); }
__device__ inline double next(double from, double towards) { return nextafter(from, towards); }

// `near` is the nearest number; the true value lies above it where it is `below`, and the other way round
template <class Number>
__device__ inline Number moved(Number near, bool above, bool below, Mode mode) {
  const Number infinite = static_cast<Number>(__builtin_huge_val());
  if (above && (mode == down || (mode == zero && near > 0))) return next(near, -infinite);
  if (below && (mode == up || (mode == zero && near < 0))) return next(near, infinite);
  return near;
}
// `near` is the nearest double, and what it lacks has the sign of `error`
__device__ inline float rounded(double near, double error, Mode mode) {
  const float found = static_cast<float>(near);
  const double back = found;
  return moved(found, back > near || (back == near && error < 0), back < near || (back == near && error > 0), mode);
}
__device__ inline double rounded_wide(double near, double error, Mode mode) {
  return moved(near, error < 0, error > 0, mode);
}
__device__ inline double error_of_sum(double a, double b, double sum) {
  const double other = sum - a;
  return (a - (sum - other)) + (b - other);
}
__device__ inline float sum(float a, float b, Mode mode) {
  const double near = static_cast<double>(a) + b;
  return rounded(near, error_of_sum(a, b, near), mode);
}
__device__ inline double sum(double a, double b, Mode mode) {
  return rounded_wide(a + b, error_of_sum(a, b, a + b), mode);
}
__device__ inline float product(float a, float b, Mode mode) { return rounded(static_cast<double>(a) * b, 0.0, mode); }
__device__ inline double product(double a, double b, Mode mode) { return rounded_wide(a * b, fma(a, b, -(a * b)), mode); }
__device__ inline double error_of_quotient(double a, double b, double near) {
  const double rest = fma(-near, b, a);
  return b < 0 ? -rest : rest;
}
__device__ inline float quotient(float a, float b, Mode mode) {
  const double near = static_cast<double>(a) / b;
  return rounded(near, error_of_quotient(a, b, near), mode);
}
__device__ inline double quotient(double a, double b, Mode mode) {
  return rounded_wide(a / b, error_of_quotient(a, b, a / b), mode);
}
__device__ inline float root(float a, Mode mode) {
  const double near = sqrt(static_cast<double>(a));
  return rounded(near, fma(-near, near, static_cast<double>(a)), mode);
}
__device__ inline double root(double a, Mode mode) { return rounded_wide(sqrt(a), fma(-sqrt(a), sqrt(a), a), mode); }
__device__ inline float fused(float a, float b, float c, Mode mode) {
  const double whole = static_cast<double>(a) * b, near = whole + c;
  return rounded(near, error_of_sum(whole, c, near), mode);
}

}  // namespace kernelset::rounding

#define KERNELSET_OF_TWO(name, type, function, mode) \
  KERNELSET_FILL type name(type a, type b) { return ::kernelset::rounding::function(a, b, ::kernelset::rounding::mode); }
#define KERNELSET_OF_ONE(name, type, function, mode) \
  KERNELSET_FILL type name(type a) { return ::kernelset::rounding::function(a, ::kernelset::rounding::mode); }
#define KERNELSET_RECIPROCAL(name, type, mode) \
  KERNELSET_FILL type name(type a) { \
    return ::kernelset::rounding::quotient(type(1), a, ::kernelset::rounding::mode); \
  }
#define KERNELSET_OF_THREE(name, mode) \
  KERNELSET_FILL float name(float a, float b, float c) { \
    return ::kernelset::rounding::fused(a, b, c, ::kernelset::rounding::mode); \
  }
#define KERNELSET_DIFFERENCE(name, type, mode) \
  KERNELSET_FILL type name(type a, type b) { return ::kernelset::rounding::sum(a, -b, ::kernelset::rounding::mode); }
KERNELSET_OF_TWO(__fadd_rd, float, sum, down)
KERNELSET_OF_TWO(__fmul_rd, float, product, down)
KERNELSET_OF_TWO(__fdiv_rd, float, quotient, down)
KERNELSET_DIFFERENCE(__fsub_rd, float, down)
KERNELSET_RECIPROCAL(__frcp_rd, float, down)
KERNELSET_OF_ONE(__fsqrt_rd, float, root, down)
KERNELSET_OF_TWO(__dadd_rd, double, sum, down)
KERNELSET_OF_TWO(__dmul_rd, double, product, down)
KERNELSET_OF_TWO(__ddiv_rd, double, quotient, down)
KERNELSET_DIFFERENCE(__dsub_rd, double, down)
KERNELSET_RECIPROCAL(__drcp_rd, double, down)
KERNELSET_OF_ONE(__dsqrt_rd, double, root, down)
KERNELSET_OF_THREE(__fmaf_rd, down)
KERNELSET_OF_TWO(__fadd_ru, float, sum, up)
KERNELSET_OF_TWO(__fmul_ru, float, product, up)
KERNELSET_OF_TWO(__fdiv_ru, float, quotient, up)
KERNELSET_DIFFERENCE(__fsub_ru, float, up)
KERNELSET_RECIPROCAL(__frcp_ru, float, up)
KERNELSET_OF_ONE(__fsqrt_ru, float, root, up)
KERNELSET_OF_TWO(__dadd_ru, double, sum, up)
KERNELSET_OF_TWO(__dmul_ru, double, product, up)
KERNELSET_OF_TWO(__ddiv_ru, double, quotient, up)
KERNELSET_DIFFERENCE(__dsub_ru, double, up)
KERNELSET_RECIPROCAL(__drcp_ru, double, up)
KERNELSET_OF_ONE(__dsqrt_ru, double, root, up)
KERNELSET_OF_THREE(__fmaf_ru, up)
KERNELSET_OF_TWO(__fadd_rz, float, sum, zero)
KERNELSET_OF_TWO(__fmul_rz, float, product, zero)
KERNELSET_OF_TWO(__fdiv_rz, float, quotient, zero)
KERNELSET_DIFFERENCE(__fsub_rz, float, zero)
KERNELSET_RECIPROCAL(__frcp_rz, float, zero)
KERNELSET_OF_ONE(__fsqrt_rz, float, root, zero)
KERNELSET_OF_TWO(__dadd_rz, double, sum, zero)
KERNELSET_OF_TWO(__dmul_rz, double, product, zero)
KERNELSET_OF_TWO(__ddiv_rz, double, quotient, zero)
KERNELSET_DIFFERENCE(__dsub_rz, double, zero)
KERNELSET_RECIPROCAL(__drcp_rz, double, zero)
KERNELSET_OF_ONE(__dsqrt_rz, double, root, zero)
KERNELSET_OF_THREE(__fmaf_rz, zero)
#undef KERNELSET_OF_TWO
#undef KERNELSET_OF_ONE
#undef KERNELSET_OF_THREE
#undef KERNELSET_RECIPROCAL
#undef KERNELSET_DIFFERENCE
#endif
