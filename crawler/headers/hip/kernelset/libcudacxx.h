// libcu++ as far as it is the standard library, and what it adds to <functional>.
// Rule: CCCL, "libcu++: Standard API" and "Extended API". Scoped atomics, barriers and pipelines are not here.
#ifndef KERNELSET_HIP_LIBCUDACXX_H
#define KERNELSET_HIP_LIBCUDACXX_H

#include <kernelset/hip.h>

#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#define _CCCL_HOST_DEVICE __host__ __device__
#define _CCCL_DEVICE __device__
#define _CCCL_HOST __host__
#define _CCCL_FORCEINLINE __forceinline__

namespace cuda {
namespace std {
using namespace ::std;
// what is no constexpr function in C++17
template <class T>
__host__ __device__ constexpr void swap(T& a, T& b) {
  T kept = ::std::move(a);
  a = ::std::move(b);
  b = ::std::move(kept);
}
// what libcu++ takes of halves and bfloat16, too
#define KS_CLASSIFIES(name)                                                            \
  template <class T>                                                                   \
  __host__ __device__ inline bool name(T value) {                                      \
    if constexpr (::std::is_same_v<T, double>) return __builtin_##name(value);         \
    return __builtin_##name(static_cast<float>(value));                                \
  }
KS_CLASSIFIES(isfinite)
KS_CLASSIFIES(isinf)
KS_CLASSIFIES(isnan)
#undef KS_CLASSIFIES
}  // namespace std

template <class T = void>
struct maximum {
  __host__ __device__ T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};
template <>
struct maximum<void> {
  template <class T, class U>
  __host__ __device__ ::std::common_type_t<T, U> operator()(const T& a, const U& b) const {
    return a < b ? b : a;
  }
};
template <class T = void>
struct minimum {
  __host__ __device__ T operator()(const T& a, const T& b) const { return b < a ? b : a; }
};
template <>
struct minimum<void> {
  template <class T, class U>
  __host__ __device__ ::std::common_type_t<T, U> operator()(const T& a, const U& b) const {
    return b < a ? b : a;
  }
};
}  // namespace cuda

#endif
