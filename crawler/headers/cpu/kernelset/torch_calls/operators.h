// Operators of PyTorch that launchers call on their tensors: what converts, fills, combines and reduces them. Elements are
// combined as doubles. A call that comes to one that is not here is refused, see `refuse_missing`.
// Rule: torch.Tensor's documentation, by behaviour.
#pragma once

namespace kernelset {

KS_CALLS std::vector<int64_t> broadcast_sizes(const std::vector<int64_t> &one, const std::vector<int64_t> &other) {
  std::vector<int64_t> sizes(std::max(one.size(), other.size()), 1);
  for (const auto *each : {&one, &other}) {
    for (size_t at = 0; at < each->size(); ++at) {
      int64_t &size = sizes[sizes.size() - each->size() + at];
      const int64_t own = (*each)[at];
      if (own == 1) continue;
      if (size != 1 && size != own) throw c10::Error("sizes do not fit");
      size = own;
    }
  }
  return sizes;
}
KS_CALLS c10::ScalarType common_type(c10::ScalarType one, c10::ScalarType other) {
  const auto rank = [](c10::ScalarType type) {
    return c10::isFloatingType(type) ? 20 + static_cast<int>(c10::elementSize(type)) : type == c10::kBool ? 0 : static_cast<int>(type) + 1;
  };
  return rank(one) >= rank(other) ? one : other;
}
template <class Combine>
at::Tensor combine(const at::Tensor &one, const at::Tensor &other, c10::ScalarType type, const Combine &value) {
  const std::vector<int64_t> sizes = broadcast_sizes(state_of(one).sizes, state_of(other).sizes);
  const std::vector<double> first_values = read_elements(expand_to(one, sizes));
  const std::vector<double> second_values = read_elements(expand_to(other, sizes));
  std::vector<double> values(first_values.size());
  for (size_t at = 0; at < values.size(); ++at) values[at] = value(first_values[at], second_values[at]);
  return make_of(sizes, type, one.is_cuda(), values);
}
template <class Combine>
at::Tensor combine(const at::Tensor &one, const c10::Scalar &other, c10::ScalarType type, const Combine &value) {
  std::vector<double> values = read_elements(one);
  for (double &each : values) each = value(each, other.ks_real);
  return make_of(state_of(one).sizes, type, one.is_cuda(), values);
}
KS_CALLS c10::ScalarType type_with(const at::Tensor &one, const at::Tensor &other) {
  return common_type(one.scalar_type(), other.scalar_type());
}
KS_CALLS c10::ScalarType type_with(const at::Tensor &one, const c10::Scalar &other) {
  return other.ks_is_real && !one.is_floating_point() ? c10::kFloat : one.scalar_type();
}
KS_CALLS at::Tensor &change_in_place(const at::Tensor &tensor, const at::Tensor &result) {
  write_elements(tensor, read_elements(expand_to(result, state_of(tensor).sizes)));
  return const_cast<at::Tensor &>(tensor);
}
template <class Change> at::Tensor map_elements(const at::Tensor &tensor, const Change &change) {
  std::vector<double> values = read_elements(tensor);
  for (double &each : values) each = change(each);
  return make_of(state_of(tensor).sizes, tensor.scalar_type(), tensor.is_cuda(), values);
}
template <class Mode> std::string_view read_mode(const Mode &mode) {
  if constexpr (std::is_convertible_v<const Mode &, std::string_view>) return mode;
  else return mode ? std::string_view(*mode) : std::string_view();
}
// a quotient rounded as the third argument of `torch.div` says
template <class Mode> at::Tensor round_quotient(const at::Tensor &quotient, c10::ScalarType type, const Mode &mode) {
  const std::string_view word = read_mode(mode);
  if (word.empty()) return quotient;
  std::vector<double> values = read_elements(quotient);
  for (double &each : values) each = word == "floor" ? ::floor(each) : ::trunc(each);
  return make_of(state_of(quotient).sizes, type, quotient.is_cuda(), values);
}

}  // namespace kernelset

namespace at {

KS_CALLS Tensor Tensor::to(TensorOptions options, bool, bool) const {
  if (options.ks_type == scalar_type() && options.is_cuda() == is_cuda()) return *this;
  return kernelset::make_of(kernelset::list_sizes(sizes()), options.ks_type, options.is_cuda(), kernelset::read_elements(*this));
}
template <typename... A> Tensor Tensor::to(A &&...arguments) const {
  return to(kernelset::options_from(options(), arguments...), false, false);
}
template <typename... A> Tensor Tensor::toType(A &&...arguments) const {
  return to(kernelset::options_from(options(), arguments...), false, false);
}
template <typename... A> Tensor Tensor::type_as(A &&...other) const { return to((other.options(), ...), false, false); }
template <typename... A> Tensor Tensor::cpu(A &&...) const { return to(options().device(kCPU), false, false); }
template <typename... A> Tensor Tensor::cuda(A &&...) const { return to(options().device(kCUDA), false, false); }
template <typename... A> Tensor Tensor::half(A &&...) const { return to(options().dtype(kHalf), false, false); }

KS_CALLS Scalar Tensor::item() const {
  if (numel() != 1) throw Error("more than one element");
  const double value = kernelset::read_elements(*this)[0];
  return is_floating_point() ? Scalar(value) : Scalar(static_cast<int64_t>(value));
}
template <typename T> T Tensor::item() const { return item().to<T>(); }
template <typename... A> Tensor Tensor::fill_(A &&...value) const {
  kernelset::write_elements(*this, std::vector<double>(static_cast<size_t>(numel()), (Scalar(value), ...).ks_real));
  return *this;
}
template <typename... A> Tensor Tensor::zero_(A &&...) const { return fill_(0); }
template <typename... A> Tensor Tensor::copy_(A &&...arguments) const {
  const auto copy = [this](const Tensor &from, const auto &...) {
    kernelset::write_elements(*this, kernelset::read_elements(from.expand(sizes())));
  };
  copy(arguments...);
  return *this;
}

#define KS_OPERATOR(SIGN, TYPE, EXPRESSION)                                                                                  \
  KS_CALLS Tensor operator SIGN(const Tensor &one, const Tensor &other) {                                                      \
    return kernelset::combine(one, other, TYPE, [](double a, double b) -> double { return EXPRESSION; });                    \
  }                                                                                                                          \
  KS_CALLS Tensor operator SIGN(const Tensor &one, const Scalar &other) {                                                      \
    return kernelset::combine(one, other, TYPE, [](double a, double b) -> double { return EXPRESSION; });                    \
  }
#define KS_COMMON kernelset::type_with(one, other)
#define KS_QUOTIENT (isFloatingType(KS_COMMON) ? KS_COMMON : kFloat)
KS_OPERATOR(+, KS_COMMON, a + b)
KS_OPERATOR(-, KS_COMMON, a - b)
KS_OPERATOR(*, KS_COMMON, a * b)
KS_OPERATOR(/, KS_QUOTIENT, a / b)
KS_OPERATOR(==, kBool, a == b)
KS_OPERATOR(!=, kBool, a != b)
KS_OPERATOR(<, kBool, a < b)
KS_OPERATOR(>, kBool, a > b)
KS_OPERATOR(<=, kBool, a <= b)
KS_OPERATOR(>=, kBool, a >= b)
#undef KS_OPERATOR
#define KS_SCALAR_FIRST(SIGN) \
  KS_CALLS Tensor operator SIGN(const Scalar &one, const Tensor &other) { return full_like(other, one, KS_COMMON_WITH(other, one)) SIGN other; }
#define KS_COMMON_WITH(tensor, scalar) kernelset::type_with(tensor, scalar)
KS_SCALAR_FIRST(+)
KS_SCALAR_FIRST(-)
KS_SCALAR_FIRST(*)
KS_SCALAR_FIRST(/)
#undef KS_SCALAR_FIRST
#undef KS_COMMON_WITH
// with a factor of the other one, or a way to round, it is another operator
#define KS_METHOD(NAME, SIGN)                                                                                                \
  template <typename... A> Tensor Tensor::NAME(A &&...other) const {                                                         \
    if constexpr (sizeof...(A) == 1) return ((*this SIGN other), ...);                                                       \
    else throw Error(#NAME " of more than two");                                                                             \
  }                                                                                                                          \
  template <typename... A> Tensor Tensor::NAME##_(A &&...other) const { return copy_(NAME(other...)); }                      \
  template <typename... A> Tensor NAME(A &&...arguments) {                                                                   \
    const auto call = [](const Tensor &one, const auto &...other) { return one.NAME(other...); };                            \
    return call(arguments...);                                                                                               \
  }                                                                                                                          \
  KS_CALLS Tensor &operator SIGN##=(const Tensor &one, const Tensor &other) { return kernelset::change_in_place(one, one SIGN other); } \
  KS_CALLS Tensor &operator SIGN##=(const Tensor &one, const Scalar &other) { return kernelset::change_in_place(one, one SIGN other); }
KS_METHOD(add, +)
KS_METHOD(sub, -)
KS_METHOD(mul, *)
KS_METHOD(true_divide, /)
#undef KS_METHOD
template <typename... A> Tensor Tensor::div(A &&...arguments) const {
  const auto divide = [this](const auto &other, const auto &...mode) {
    if constexpr (!sizeof...(mode)) return *this / other;
    else return kernelset::round_quotient(*this / other, kernelset::type_with(*this, other), mode...);
  };
  return divide(arguments...);
}
template <typename... A> Tensor Tensor::div_(A &&...arguments) const { return copy_(div(arguments...)); }
template <typename... A> Tensor div(A &&...arguments) {
  const auto call = [](const Tensor &one, const auto &...other) { return one.div(other...); };
  return call(arguments...);
}
template <typename... A> Tensor Tensor::floor_divide(A &&...arguments) const { return div(arguments..., "floor"); }
#define KS_COMPARISON(NAME, SIGN) \
  template <typename... A> Tensor Tensor::NAME(A &&...other) const { return ((*this SIGN other), ...); }
KS_COMPARISON(eq, ==)
KS_COMPARISON(ne, !=)
KS_COMPARISON(lt, <)
KS_COMPARISON(gt, >)
KS_COMPARISON(le, <=)
KS_COMPARISON(ge, >=)
#undef KS_COMPARISON
#undef KS_COMMON
#undef KS_QUOTIENT
#define KS_FUNCTION(NAME, EXPRESSION)                                                                                        \
  template <typename... A> Tensor Tensor::NAME(A &&...) const {                                                              \
    return kernelset::map_elements(*this, [](double a) -> double { return EXPRESSION; });                                    \
  }                                                                                                                          \
  template <typename... A> Tensor NAME(A &&...tensor) { return (tensor.NAME(), ...); }
KS_FUNCTION(sqrt, ::sqrt(a))
KS_FUNCTION(exp, ::exp(a))
KS_FUNCTION(log, ::log(a))
KS_FUNCTION(abs, ::fabs(a))
KS_FUNCTION(floor, ::floor(a))
KS_FUNCTION(ceil, ::ceil(a))
#undef KS_FUNCTION
template <typename... A> Tensor Tensor::clamp(A &&...arguments) const {
  const auto clamp = [this](Scalar low, Scalar high) {
    return kernelset::map_elements(*this, [&](double a) { return std::min(std::max(a, low.ks_real), high.ks_real); });
  };
  if constexpr (sizeof...(A) == 1) return clamp(arguments..., Scalar(INFINITY));
  else return clamp(arguments...);
}
template <typename... A> Tensor Tensor::clamp_min(A &&...low) const { return clamp(low...); }
KS_CALLS std::optional<Device> device_of(const Tensor &tensor) {
  return tensor.defined() ? std::optional<Device>(tensor.device()) : std::nullopt;
}

}  // namespace at
