// Structured bindings of HIP's vectors: `auto [x, y] = pair;`. CUDA's are plain structures, which are taken apart by
// themselves; HIP's have an anonymous union, which cannot be.
// Rule: [dcl.struct.bind], bindings by `std::tuple_size` and `get`. To be included behind HIP's own headers.
#ifndef KERNELSET_HIP_BINDINGS_H
#define KERNELSET_HIP_BINDINGS_H
#if __cplusplus >= 201703L

#include <stddef.h>

#include <tuple>
#include <type_traits>

namespace std {
template <class T, unsigned int n>
struct tuple_size<HIP_vector_type<T, n>> : integral_constant<size_t, n> {};
template <size_t i, class T, unsigned int n>
struct tuple_element<i, HIP_vector_type<T, n>> {
  using type = T;
};
}  // namespace std

template <size_t i, class T, unsigned int n>
__host__ __device__ constexpr T& get(HIP_vector_type<T, n>& vector) noexcept {
  if constexpr (i == 0) return vector.x;
  else if constexpr (i == 1) return vector.y;
  else if constexpr (i == 2) return vector.z;
  else return vector.w;
}
template <size_t i, class T, unsigned int n>
__host__ __device__ constexpr const T& get(const HIP_vector_type<T, n>& vector) noexcept {
  return get<i>(const_cast<HIP_vector_type<T, n>&>(vector));
}
template <size_t i, class T, unsigned int n>
__host__ __device__ constexpr T&& get(HIP_vector_type<T, n>&& vector) noexcept {
  return static_cast<T&&>(get<i>(vector));
}

#endif
#endif
