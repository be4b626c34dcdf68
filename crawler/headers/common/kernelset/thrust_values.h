// Pairs, tuples, complex numbers, functors and execution policies.
#ifndef KERNELSET_THRUST_VALUES_H
#define KERNELSET_THRUST_VALUES_H

#include <cmath>
#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#define KS_THRUST __host__ __device__ inline

namespace thrust {

using std::get;
using std::ignore;
using std::tuple_element;
using std::tuple_size;

// Pairs and tuples of the standard library with an assignment that device code may call: the standard
// one is `constexpr`, and so callable there, from C++20 on only.
template <class A, class B> struct pair : std::pair<A, B> {
  pair() = default;
  pair(const pair&) = default;
  KS_THRUST pair(const A& a, const B& b) : std::pair<A, B>(a, b) {}
  template <class C, class D> KS_THRUST pair(C&& c, D&& d) : std::pair<A, B>(static_cast<C&&>(c), static_cast<D&&>(d)) {}
  template <class C, class D> KS_THRUST pair(const std::pair<C, D>& o) : std::pair<A, B>(o.first, o.second) {}
  KS_THRUST pair& operator=(const pair& o) { this->first = o.first; this->second = o.second; return *this; }
  template <class C, class D> KS_THRUST pair& operator=(const std::pair<C, D>& o) {
    this->first = o.first;
    this->second = o.second;
    return *this;
  }
};
template <class A, class B> pair(A, B) -> pair<A, B>;

template <class... Ts> struct tuple : std::tuple<Ts...> {
  tuple() = default;
  tuple(const tuple&) = default;
  KS_THRUST tuple(const Ts&... values) : std::tuple<Ts...>(values...) {}
  template <class... Us, class = std::enable_if_t<sizeof...(Us) == sizeof...(Ts)>>
  KS_THRUST tuple(const std::tuple<Us...>& o) : std::tuple<Ts...>(o) {}
  KS_THRUST tuple& operator=(const tuple& o) { return assign(o, std::index_sequence_for<Ts...>()); }
  template <class... Us> KS_THRUST tuple& operator=(const std::tuple<Us...>& o) {
    return assign(o, std::index_sequence_for<Ts...>());
  }
  template <class C, class D> KS_THRUST tuple& operator=(const std::pair<C, D>& o) {
    return assign(o, std::index_sequence_for<Ts...>());
  }
  template <class O, std::size_t... I> KS_THRUST tuple& assign(const O& o, std::index_sequence<I...>) {
    const int each[] = {0, (std::get<I>(*this) = std::get<I>(o), 0)...};
    (void)each;
    return *this;
  }
};
template <class... Ts> tuple(Ts...) -> tuple<Ts...>;

template <class A, class B> KS_THRUST pair<std::decay_t<A>, std::decay_t<B>> make_pair(A&& a, B&& b) {
  return {static_cast<A&&>(a), static_cast<B&&>(b)};
}
template <class... Ts> KS_THRUST tuple<std::decay_t<Ts>...> make_tuple(Ts&&... values) {
  return tuple<std::decay_t<Ts>...>(static_cast<Ts&&>(values)...);
}
template <class... Ts> KS_THRUST tuple<Ts&...> tie(Ts&... places) { return tuple<Ts&...>(places...); }

struct execution_policy_base {
  template <class... Arguments>
  KS_THRUST execution_policy_base on(Arguments&&...) const { return {}; }
  template <class... Arguments>
  KS_THRUST execution_policy_base operator()(Arguments&&...) const { return {}; }
};
constexpr execution_policy_base seq{}, host{}, device{};
namespace cuda { constexpr execution_policy_base par{}, par_nosync{}; }
namespace hip { constexpr execution_policy_base par{}, par_nosync{}; }
namespace system { namespace cuda { constexpr execution_policy_base par{}; } }

#define KS_THRUST_BINARY(name, expression)                                                                     \
  template <class T = void> struct name {                                                                      \
    template <class A, class B> KS_THRUST auto operator()(const A& a, const B& b) const { return expression; } \
  };
KS_THRUST_BINARY(plus, a + b) KS_THRUST_BINARY(minus, a - b) KS_THRUST_BINARY(multiplies, a * b)
KS_THRUST_BINARY(divides, a / b) KS_THRUST_BINARY(modulus, a % b) KS_THRUST_BINARY(equal_to, a == b)
KS_THRUST_BINARY(not_equal_to, a != b) KS_THRUST_BINARY(greater, a > b) KS_THRUST_BINARY(less, a < b)
KS_THRUST_BINARY(greater_equal, a >= b) KS_THRUST_BINARY(less_equal, a <= b) KS_THRUST_BINARY(maximum, a < b ? b : a)
KS_THRUST_BINARY(minimum, b < a ? b : a) KS_THRUST_BINARY(logical_and, a && b) KS_THRUST_BINARY(logical_or, a || b)
KS_THRUST_BINARY(bit_and, a & b) KS_THRUST_BINARY(bit_or, a | b) KS_THRUST_BINARY(bit_xor, a ^ b)
#undef KS_THRUST_BINARY
template <class T = void> struct negate { template <class A> KS_THRUST auto operator()(const A& a) const { return -a; } };
template <class T = void> struct identity { template <class A> KS_THRUST A operator()(const A& a) const { return a; } };
template <class T = void> struct square { template <class A> KS_THRUST auto operator()(const A& a) const { return a * a; } };
template <class T = void> struct logical_not { template <class A> KS_THRUST bool operator()(const A& a) const { return !a; } };
template <class A, class B> struct unary_function { typedef A argument_type; typedef B result_type; };
template <class A, class B, class R> struct binary_function {
  typedef A first_argument_type;
  typedef B second_argument_type;
  typedef R result_type;
};

template <class T> KS_THRUST void swap(T& a, T& b) { T kept = a; a = b; b = kept; }

template <class T> struct complex {
  T re, im;
  typedef T value_type;
  complex() = default;
  KS_THRUST complex(const T& re, const T& im = T()) : re(re), im(im) {}
  KS_THRUST T real() const { return re; }
  KS_THRUST T imag() const { return im; }
  KS_THRUST void real(T v) { re = v; }
  KS_THRUST void imag(T v) { im = v; }
  KS_THRUST complex& operator+=(const complex& o) { re += o.re; im += o.im; return *this; }
  KS_THRUST complex& operator-=(const complex& o) { re -= o.re; im -= o.im; return *this; }
  KS_THRUST complex& operator*=(const complex& o) { return *this = complex(re * o.re - im * o.im, re * o.im + im * o.re); }
  KS_THRUST complex& operator/=(const complex& o) {
    T size = o.re * o.re + o.im * o.im;
    return *this = complex((re * o.re + im * o.im) / size, (im * o.re - re * o.im) / size);
  }
  friend KS_THRUST complex operator+(complex a, const complex& b) { return a += b; }
  friend KS_THRUST complex operator-(complex a, const complex& b) { return a -= b; }
  friend KS_THRUST complex operator*(complex a, const complex& b) { return a *= b; }
  friend KS_THRUST complex operator/(complex a, const complex& b) { return a /= b; }
  friend KS_THRUST complex operator-(const complex& a) { return complex(-a.re, -a.im); }
  friend KS_THRUST bool operator==(const complex& a, const complex& b) { return a.re == b.re && a.im == b.im; }
  friend KS_THRUST bool operator!=(const complex& a, const complex& b) { return !(a == b); }
};
template <class T> KS_THRUST complex<T> conj(const complex<T>& z) { return complex<T>(z.re, -z.im); }
template <class T> KS_THRUST T norm(const complex<T>& z) { return z.re * z.re + z.im * z.im; }
template <class T> KS_THRUST T abs(const complex<T>& z) { return ::hypot(z.re, z.im); }
template <class T> KS_THRUST T arg(const complex<T>& z) { return ::atan2(z.im, z.re); }
template <class T> KS_THRUST complex<T> polar(const T& size, const T& angle) {
  return complex<T>(size * ::cos(angle), size * ::sin(angle));
}
template <class T> KS_THRUST complex<T> exp(const complex<T>& z) { return polar<T>(::exp(z.re), z.im); }
template <class T> KS_THRUST complex<T> log(const complex<T>& z) { return complex<T>(::log(abs(z)), arg(z)); }

}  // namespace thrust

namespace std {
template <class A, class B> struct tuple_size<thrust::pair<A, B>> : tuple_size<pair<A, B>> {};
template <size_t I, class A, class B> struct tuple_element<I, thrust::pair<A, B>> : tuple_element<I, pair<A, B>> {};
template <class... Ts> struct tuple_size<thrust::tuple<Ts...>> : tuple_size<tuple<Ts...>> {};
template <size_t I, class... Ts> struct tuple_element<I, thrust::tuple<Ts...>> : tuple_element<I, tuple<Ts...>> {};
}  // namespace std

#endif
