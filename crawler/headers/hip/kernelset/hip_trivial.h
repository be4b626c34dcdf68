// Vectors whose assignment is trivial, as they are in newer HIP: a union that holds a `float2` could not be assigned.
// To be included before HIP's own headers, which then give all other vectors the same members.
#ifndef KERNELSET_HIP_TRIVIAL_H
#define KERNELSET_HIP_TRIVIAL_H

#include <hip/hip_version.h>

#if HIP_VERSION_MAJOR < 6
template <typename T, unsigned int n> struct HIP_vector_base;

#define KERNELSET_VECTOR(T, n, ...)                          \
  using value_type = T;                                      \
  using Native_vec_ = T __attribute__((ext_vector_type(n))); \
  union {                                                    \
    Native_vec_ data;                                        \
    struct { T __VA_ARGS__; };                               \
  };                                                         \
  __host__ __device__ HIP_vector_base() = default;
#define KERNELSET_TRIVIAL(T)                                                                         \
  template <> struct HIP_vector_base<T, 1> {                                                         \
    KERNELSET_VECTOR(T, 1, x)                                                                        \
    __host__ __device__ explicit constexpr HIP_vector_base(T a) noexcept : data{a} {}                \
  };                                                                                                 \
  template <> struct HIP_vector_base<T, 2> {                                                         \
    KERNELSET_VECTOR(T, 2, x, y)                                                                     \
    __host__ __device__ explicit constexpr HIP_vector_base(T a) noexcept : data{a, a} {}             \
    __host__ __device__ constexpr HIP_vector_base(T a, T b) noexcept : data{a, b} {}                 \
  };                                                                                                 \
  template <> struct HIP_vector_base<T, 4> {                                                         \
    KERNELSET_VECTOR(T, 4, x, y, z, w)                                                               \
    __host__ __device__ explicit constexpr HIP_vector_base(T a) noexcept : data{a, a, a, a} {}       \
    __host__ __device__ constexpr HIP_vector_base(T a, T b, T c, T d) noexcept : data{a, b, c, d} {} \
  };
KERNELSET_TRIVIAL(char)
KERNELSET_TRIVIAL(signed char)
KERNELSET_TRIVIAL(unsigned char)
KERNELSET_TRIVIAL(short)
KERNELSET_TRIVIAL(unsigned short)
KERNELSET_TRIVIAL(int)
KERNELSET_TRIVIAL(unsigned int)
KERNELSET_TRIVIAL(long)
KERNELSET_TRIVIAL(unsigned long)
KERNELSET_TRIVIAL(long long)
KERNELSET_TRIVIAL(unsigned long long)
KERNELSET_TRIVIAL(float)
KERNELSET_TRIVIAL(double)
#undef KERNELSET_TRIVIAL
#undef KERNELSET_VECTOR
#endif

#endif
