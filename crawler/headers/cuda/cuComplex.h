// Rule: CUDA's cuComplex.h.
#pragma once
#include <kernelset/cuda.cuh>
#define KS_COMPLEX(T, C, SUFFIX)                                                                                     \
  static KS_HD T cuCreal##SUFFIX(C a) { return a.x; }                                                                \
  static KS_HD T cuCimag##SUFFIX(C a) { return a.y; }                                                                \
  static KS_HD C cuConj##SUFFIX(C a) { return C{a.x, -a.y}; }                                                        \
  static KS_HD C cuCadd##SUFFIX(C a, C b) { return C{a.x + b.x, a.y + b.y}; }                                        \
  static KS_HD C cuCsub##SUFFIX(C a, C b) { return C{a.x - b.x, a.y - b.y}; }                                        \
  static KS_HD C cuCmul##SUFFIX(C a, C b) { return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }                \
  static KS_HD C cuCdiv##SUFFIX(C a, C b) {                                                                          \
    T s = b.x * b.x + b.y * b.y;                                                                                     \
    return C{(a.x * b.x + a.y * b.y) / s, (a.y * b.x - a.x * b.y) / s};                                              \
  }                                                                                                                  \
  static KS_HD T cuCabs##SUFFIX(C a) { return (T)::sqrt(a.x * a.x + a.y * a.y); }
KS_COMPLEX(float, cuFloatComplex, f)
KS_COMPLEX(double, cuDoubleComplex, )
#undef KS_COMPLEX
static KS_HD cuFloatComplex make_cuFloatComplex(float x, float y) { return cuFloatComplex{x, y}; }
static KS_HD cuDoubleComplex make_cuDoubleComplex(double x, double y) { return cuDoubleComplex{x, y}; }
static KS_HD cuComplex make_cuComplex(float x, float y) { return cuComplex{x, y}; }
static KS_HD cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return cuDoubleComplex{c.x, c.y}; }
static KS_HD cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) { return cuFloatComplex{(float)c.x, (float)c.y}; }
static KS_HD cuFloatComplex cuCfmaf(cuFloatComplex a, cuFloatComplex b, cuFloatComplex c) { return cuCaddf(cuCmulf(a, b), c); }
static KS_HD cuDoubleComplex cuCfma(cuDoubleComplex a, cuDoubleComplex b, cuDoubleComplex c) { return cuCadd(cuCmul(a, b), c); }
