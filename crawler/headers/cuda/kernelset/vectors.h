// Vector types, dim3 and their constructors.
// Rule: CUDA C++ Programming Guide, "Built-in Vector Types" (alignment of each type included).
#pragma once
#include <kernelset/attributes.h>

#define KS_VECTORS(T, N, A1, A2, A4)                                                                        \
  struct N##1 { T x; };                                                                                     \
  struct __attribute__((aligned(A2))) N##2 { T x, y; };                                                     \
  struct N##3 { T x, y, z; };                                                                               \
  struct __attribute__((aligned(A4))) N##4 { T x, y, z, w; };                                               \
  static KS_HD constexpr N##1 make_##N##1(T x) { return N##1{x}; }                                          \
  static KS_HD constexpr N##2 make_##N##2(T x, T y) { return N##2{x, y}; }                                  \
  static KS_HD constexpr N##3 make_##N##3(T x, T y, T z) { return N##3{x, y, z}; }                          \
  static KS_HD constexpr N##4 make_##N##4(T x, T y, T z, T w) { return N##4{x, y, z, w}; }

KS_VECTORS(signed char, char, 1, 2, 4)
KS_VECTORS(unsigned char, uchar, 1, 2, 4)
KS_VECTORS(short, short, 2, 4, 8)
KS_VECTORS(unsigned short, ushort, 2, 4, 8)
KS_VECTORS(int, int, 4, 8, 16)
KS_VECTORS(unsigned int, uint, 4, 8, 16)
KS_VECTORS(long, long, 8, 16, 16)
KS_VECTORS(unsigned long, ulong, 8, 16, 16)
KS_VECTORS(long long, longlong, 8, 16, 16)
KS_VECTORS(unsigned long long, ulonglong, 8, 16, 16)
KS_VECTORS(float, float, 4, 8, 16)
KS_VECTORS(double, double, 8, 16, 16)
#undef KS_VECTORS

struct dim3 {
  unsigned int x, y, z;
  KS_HD constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  KS_HD constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  KS_HD constexpr operator uint3() const { return uint3{x, y, z}; }
};

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;
