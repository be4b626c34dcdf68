// HIP's vectors with operators that give way to a project's: CUDA's vectors have none, so projects bring theirs, which
// members for the same operands make ambiguous. As templates these are taken only where there is nothing else.
// To be included before HIP's own headers, which have the bases and the operators that are no members.
#ifndef KERNELSET_HIP_OPERATORS_H
#define KERNELSET_HIP_OPERATORS_H

#include <type_traits>

template <typename T, unsigned int n> struct HIP_vector_base;
template <typename T, unsigned int n> struct HIP_vector_type;

#define KERNELSET_HD __host__ __device__
#define KERNELSET_IF(...) typename std::enable_if<__VA_ARGS__>::type* = nullptr

#define KERNELSET_ASSIGN(operation, ...)                                                             \
  template <typename U = T, KERNELSET_IF(__VA_ARGS__)>                                               \
  KERNELSET_HD HIP_vector_type& operator operation(const HIP_vector_type& other) noexcept {          \
    this->data operation other.data;                                                                 \
    return *this;                                                                                    \
  }
#define KERNELSET_ASSIGN_NUMBER(operation)                                                           \
  KERNELSET_ASSIGN(operation, std::is_arithmetic<U>::value)                                          \
  template <typename U, KERNELSET_IF(std::is_convertible<U, T>::value), typename = void>             \
  KERNELSET_HD HIP_vector_type& operator operation(U other) noexcept {                               \
    return *this operation HIP_vector_type{other};                                                   \
  }
#define KERNELSET_STEP(operation, assignment)                                                        \
  template <typename U = T> KERNELSET_HD HIP_vector_type& operator operation() noexcept {            \
    return *this assignment HIP_vector_type{1};                                                      \
  }                                                                                                  \
  template <typename U = T> KERNELSET_HD HIP_vector_type operator operation(int) noexcept {          \
    HIP_vector_type before(*this);                                                                   \
    *this assignment HIP_vector_type{1};                                                             \
    return before;                                                                                   \
  }
#define KERNELSET_UNARY(operation, ...)                                                              \
  template <typename U = T, KERNELSET_IF(__VA_ARGS__)>                                               \
  KERNELSET_HD HIP_vector_type operator operation() const noexcept {                                 \
    HIP_vector_type result(*this);                                                                   \
    result.data = operation result.data;                                                             \
    return result;                                                                                   \
  }

#define KERNELSET_OPERATORS(n)                                                                       \
  template <typename T> struct HIP_vector_type<T, n> : HIP_vector_base<T, n> {                       \
    using HIP_vector_base<T, n>::data;                                                               \
    using typename HIP_vector_base<T, n>::Native_vec_;                                               \
    KERNELSET_HD HIP_vector_type() = default;                                                        \
    template <typename U, KERNELSET_IF(std::is_convertible<U, T>::value)>                            \
    KERNELSET_HD explicit constexpr HIP_vector_type(U value) noexcept                                \
        : HIP_vector_base<T, n>{static_cast<T>(value)} {}                                            \
    template <typename... Us, KERNELSET_IF((n > 1) && sizeof...(Us) == n)>                           \
    KERNELSET_HD constexpr HIP_vector_type(Us... values) noexcept                                    \
        : HIP_vector_base<T, n>{static_cast<T>(values)...} {}                                        \
    KERNELSET_HD constexpr HIP_vector_type(const HIP_vector_type&) = default;                        \
    KERNELSET_HD constexpr HIP_vector_type(HIP_vector_type&&) = default;                             \
    KERNELSET_HD ~HIP_vector_type() = default;                                                       \
    KERNELSET_HD HIP_vector_type& operator=(const HIP_vector_type&) = default;                       \
    KERNELSET_HD HIP_vector_type& operator=(HIP_vector_type&&) = default;                            \
    KERNELSET_STEP(++, +=)                                                                           \
    KERNELSET_STEP(--, -=)                                                                           \
    KERNELSET_ASSIGN_NUMBER(+=)                                                                      \
    KERNELSET_ASSIGN_NUMBER(-=)                                                                      \
    KERNELSET_ASSIGN_NUMBER(*=)                                                                      \
    KERNELSET_ASSIGN_NUMBER(/=)                                                                      \
    KERNELSET_ASSIGN(%=, std::is_integral<U>::value)                                                 \
    KERNELSET_ASSIGN(^=, std::is_integral<U>::value)                                                 \
    KERNELSET_ASSIGN(|=, std::is_integral<U>::value)                                                 \
    KERNELSET_ASSIGN(&=, std::is_integral<U>::value)                                                 \
    KERNELSET_ASSIGN(>>=, std::is_integral<U>::value)                                                \
    KERNELSET_ASSIGN(<<=, std::is_integral<U>::value)                                                \
    KERNELSET_UNARY(-, std::is_signed<U>::value)                                                     \
    KERNELSET_UNARY(~, std::is_integral<U>::value)                                                   \
  };
KERNELSET_OPERATORS(1)
KERNELSET_OPERATORS(2)
KERNELSET_OPERATORS(3)
KERNELSET_OPERATORS(4)
#undef KERNELSET_OPERATORS
#undef KERNELSET_UNARY
#undef KERNELSET_STEP
#undef KERNELSET_ASSIGN_NUMBER
#undef KERNELSET_ASSIGN
#undef KERNELSET_IF
#undef KERNELSET_HD

#endif
