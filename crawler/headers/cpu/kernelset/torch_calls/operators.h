// Operators of PyTorch that launchers call on their tensors: what makes, converts, fills and combines them. Elements are
// combined as doubles. What is not here does not link, and its launcher is not called.
// Rule: torch.Tensor's documentation, by behaviour.
#pragma once

namespace kernelset {

// calls `body` with a value of the type that elements have
template <class Body> auto with_element_type(c10::ScalarType type, const Body &body) {
  switch (type) {
    case c10::ScalarType::Byte: return body(uint8_t());
    case c10::ScalarType::Char: return body(int8_t());
    case c10::ScalarType::Short: return body(int16_t());
    case c10::ScalarType::Int: return body(int32_t());
    case c10::ScalarType::Long: return body(int64_t());
    case c10::ScalarType::Half: return body(c10::Half());
    case c10::ScalarType::BFloat16: return body(c10::BFloat16());
    case c10::ScalarType::Float: return body(float());
    case c10::ScalarType::Double: return body(double());
    case c10::ScalarType::Bool: return body(bool());
    default: throw c10::Error("unsupported type of elements");
  }
}
KS_CALLS double real_of(double value) { return value; }
KS_CALLS double real_of(float value) { return static_cast<double>(value); }
KS_CALLS double real_of(c10::Half value) { return static_cast<double>(static_cast<float>(value)); }
KS_CALLS double real_of(c10::BFloat16 value) { return static_cast<double>(static_cast<float>(value)); }
template <class T> std::enable_if_t<std::is_integral_v<T>, double> real_of(T value) { return static_cast<double>(value); }
template <class T> T element_of(double value) {
  if constexpr (std::is_same_v<T, bool>) return value != 0;
  else if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<int64_t>(value));
  else return static_cast<T>(static_cast<float>(value));
}
template <> inline double element_of<double>(double value) { return value; }
template <> inline float element_of<float>(double value) { return static_cast<float>(value); }

KS_CALLS void put_elements(char *place, c10::ScalarType type, const std::vector<double> &values) {
  with_element_type(type, [&](auto zero) {
    using T = decltype(zero);
    for (size_t at = 0; at < values.size(); ++at) {
      const T element = element_of<T>(values[at]);
      memcpy(place + at * sizeof(T), &element, sizeof(T));
    }
  });
}
KS_CALLS std::vector<double> read_elements(const at::Tensor &tensor) {
  const std::vector<char> bytes = read_bytes(tensor);
  std::vector<double> values(static_cast<size_t>(tensor.numel()));
  with_element_type(tensor.scalar_type(), [&](auto zero) {
    using T = decltype(zero);
    for (size_t at = 0; at < values.size(); ++at) {
      T element;
      memcpy(&element, bytes.data() + at * sizeof(T), sizeof(T));
      values[at] = real_of(element);
    }
  });
  return values;
}
KS_CALLS void write_elements(const at::Tensor &tensor, const std::vector<double> &values) {
  std::vector<char> bytes(values.size() * c10::elementSize(tensor.scalar_type()));
  put_elements(bytes.data(), tensor.scalar_type(), values);
  write_bytes(tensor, bytes);
}
KS_CALLS at::Tensor make_filled(std::vector<int64_t> sizes, const at::TensorOptions &options, double value) {
  const c10::ScalarType type = options.ks_type;
  const size_t count = static_cast<size_t>(count_elements(sizes));
  const auto fill = [type, count, value](char *place) { put_elements(place, type, std::vector<double>(count, value)); };
  return make_tensor(std::move(sizes), type, options.ks_device == c10::kCUDA, fill);
}
KS_CALLS at::Tensor make_empty(std::vector<int64_t> sizes, const at::TensorOptions &options) {
  return make_tensor(std::move(sizes), options.ks_type, options.ks_device == c10::kCUDA);
}
KS_CALLS at::Tensor make_of(const std::vector<int64_t> &sizes, c10::ScalarType type, bool is_cuda, const std::vector<double> &values) {
  at::Tensor tensor = make_tensor(sizes, type, is_cuda);
  write_elements(tensor, values);
  return tensor;
}

// options among what a factory or a conversion is given, in whatever form
KS_CALLS void add_option(at::TensorOptions &options, const at::TensorOptions &other) { options = other; }
KS_CALLS void add_option(at::TensorOptions &options, c10::ScalarType type) { options.ks_type = type; }
KS_CALLS void add_option(at::TensorOptions &options, c10::TypeMeta type) { options.ks_type = type.ks_type; }
KS_CALLS void add_option(at::TensorOptions &options, c10::DeviceType device) { options.ks_device = device; }
KS_CALLS void add_option(at::TensorOptions &options, c10::Device device) { options.ks_device = device.type(); }
KS_CALLS void add_option(at::TensorOptions &options, const at::DeprecatedTypeProperties &type) { options = type; }
KS_CALLS void add_option(at::TensorOptions &, bool) {}
KS_CALLS void add_option(at::TensorOptions &, c10::MemoryFormat) {}
KS_CALLS void add_option(at::TensorOptions &, std::nullopt_t) {}
template <typename T> void add_option(at::TensorOptions &options, const std::optional<T> &option) {
  if (option) add_option(options, *option);
}
template <typename... A> at::TensorOptions options_from(at::TensorOptions options, const A &...arguments) {
  (add_option(options, arguments), ...);
  return options;
}

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
template <class Change> at::Tensor map_elements(const at::Tensor &tensor, const Change &change) {
  std::vector<double> values = read_elements(tensor);
  for (double &each : values) each = change(each);
  return make_of(state_of(tensor).sizes, tensor.scalar_type(), tensor.is_cuda(), values);
}
// the sum along `dimensions`, which stay with the size 1 where `keeps` says so
KS_CALLS at::Tensor sum_dimensions(const at::Tensor &tensor, const std::vector<int64_t> &dimensions, bool keeps) {
  const TensorState &own = state_of(tensor);
  std::vector<bool> is_summed(own.sizes.size(), dimensions.empty());
  for (const int64_t dimension : dimensions) is_summed[wrap_dimension(dimension, own.sizes.size())] = true;
  std::vector<int64_t> kept_sizes = own.sizes, result = {};
  for (size_t at = 0; at < kept_sizes.size(); ++at) {
    if (is_summed[at]) kept_sizes[at] = 1;
    if (!is_summed[at] || keeps) result.push_back(kept_sizes[at]);
  }
  TensorState sums;
  sums.sizes = own.sizes;
  sums.strides = dense_strides(kept_sizes);
  for (size_t at = 0; at < kept_sizes.size(); ++at) sums.strides[at] *= !is_summed[at];
  std::vector<double> values(static_cast<size_t>(count_elements(kept_sizes)));
  const std::vector<double> elements = read_elements(tensor);
  size_t at = 0;
  visit_elements(sums, [&](int64_t place) { values[static_cast<size_t>(place)] += elements[at++]; });
  return make_of(result, tensor.is_floating_point() ? own.type : c10::kLong, tensor.is_cuda(), values);
}
KS_CALLS at::Tensor sum_along(const at::Tensor &tensor, c10::IntArrayRef dimensions, bool keeps = false) {
  return sum_dimensions(tensor, list_sizes(dimensions), keeps);
}
KS_CALLS at::Tensor sum_along(const at::Tensor &tensor, int64_t dimension, bool keeps = false) {
  return sum_dimensions(tensor, {dimension}, keeps);
}
template <class Combine> at::Tensor reduce_all(const at::Tensor &tensor, double start, const Combine &value) {
  double result = start;
  for (const double each : read_elements(tensor)) result = value(result, each);
  return make_of({}, tensor.scalar_type(), tensor.is_cuda(), {result});
}

}  // namespace kernelset

namespace at {

#define KS_FACTORY(NAME, MAKE)                                                                                               \
  KS_CALLS Tensor NAME(IntArrayRef sizes) { return MAKE(kernelset::list_sizes(sizes), TensorOptions()); }                      \
  template <typename... A> Tensor NAME(IntArrayRef sizes, A &&...options) {                                                  \
    return MAKE(kernelset::list_sizes(sizes), kernelset::options_from(TensorOptions(), options...));                         \
  }                                                                                                                          \
  template <typename... A> Tensor NAME(A &&...sizes) { return MAKE(kernelset::list_sizes_given(sizes...), TensorOptions()); }
#define KS_ZEROED(sizes, options) kernelset::make_filled(sizes, options, 0)
#define KS_ONES(sizes, options) kernelset::make_filled(sizes, options, 1)
KS_FACTORY(empty, kernelset::make_empty)
KS_FACTORY(zeros, KS_ZEROED)
KS_FACTORY(ones, KS_ONES)
KS_CALLS Tensor full(IntArrayRef sizes, Scalar value, TensorOptions options) {
  return kernelset::make_filled(kernelset::list_sizes(sizes), options, value.ks_real);
}
template <typename... A> Tensor full(IntArrayRef sizes, A &&...arguments) {
  const auto make = [&](Scalar value, const auto &...options) {
    return full(sizes, value, kernelset::options_from(TensorOptions(), options...));
  };
  return make(arguments...);
}
#define KS_FACTORY_LIKE(NAME, MAKE)                                                                                          \
  template <typename... A> Tensor NAME(A &&...arguments) {                                                                   \
    const auto make = [](const Tensor &like, const auto &...options) {                                                       \
      return MAKE(kernelset::list_sizes(like.sizes()), kernelset::options_from(like.options(), options...));                 \
    };                                                                                                                       \
    return make(arguments...);                                                                                               \
  }
KS_FACTORY_LIKE(empty_like, kernelset::make_empty)
KS_FACTORY_LIKE(zeros_like, KS_ZEROED)
KS_FACTORY_LIKE(ones_like, KS_ONES)
template <typename... A> Tensor full_like(A &&...arguments) {
  const auto make = [](const Tensor &like, Scalar value, const auto &...options) {
    return full(like.sizes(), value, kernelset::options_from(like.options(), options...));
  };
  return make(arguments...);
}
#define KS_FACTORY_NEW(NAME, MAKE)                                                                                           \
  KS_CALLS Tensor Tensor::NAME(IntArrayRef sizes) const { return MAKE(kernelset::list_sizes(sizes), options()); }              \
  template <typename... A> Tensor Tensor::NAME(IntArrayRef sizes, A &&...arguments) const {                                  \
    return MAKE(kernelset::list_sizes(sizes), kernelset::options_from(options(), arguments...));                             \
  }
KS_FACTORY_NEW(new_empty, kernelset::make_empty)
KS_FACTORY_NEW(new_zeros, KS_ZEROED)
KS_FACTORY_NEW(new_ones, KS_ONES)
#undef KS_FACTORY
#undef KS_ZEROED
#undef KS_ONES
#undef KS_FACTORY_LIKE
#undef KS_FACTORY_NEW
template <typename... A> Tensor arange(A &&...arguments) {
  const auto make = [](Scalar end, const auto &...options) {
    const size_t count = static_cast<size_t>(std::max<int64_t>(end.ks_integer, 0));
    std::vector<double> values(count);
    std::iota(values.begin(), values.end(), 0.0);
    const TensorOptions all = kernelset::options_from(TensorOptions(end.ks_is_real ? kFloat : kLong), options...);
    return kernelset::make_of({static_cast<int64_t>(count)}, all.ks_type, all.is_cuda(), values);
  };
  return make(arguments...);
}

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
#define KS_METHOD(NAME, SIGN)                                                                                                \
  template <typename... A> Tensor Tensor::NAME(A &&...other) const { return ((*this SIGN other), ...); }                       \
  template <typename... A> Tensor Tensor::NAME##_(A &&...other) const { return copy_(((*this SIGN other), ...)); }
KS_METHOD(add, +)
KS_METHOD(sub, -)
KS_METHOD(mul, *)
KS_METHOD(div, /)
#undef KS_METHOD
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
KS_CALLS Tensor Tensor::max() const {
  if (!numel()) throw Error("no elements");
  return kernelset::reduce_all(*this, -INFINITY, [](double a, double b) { return a > b ? a : b; });
}
KS_CALLS Tensor Tensor::min() const {
  if (!numel()) throw Error("no elements");
  return kernelset::reduce_all(*this, INFINITY, [](double a, double b) { return a < b ? a : b; });
}
KS_CALLS Tensor max(const Tensor &tensor) { return tensor.max(); }
KS_CALLS Tensor min(const Tensor &tensor) { return tensor.min(); }
template <typename... A> Tensor Tensor::sum(A &&...arguments) const {
  if constexpr (!sizeof...(A)) return kernelset::reduce_all(*this, 0, [](double a, double b) { return a + b; });
  else return kernelset::sum_along(*this, arguments...);
}
KS_CALLS Tensor Tensor::sum(IntArrayRef dimensions) const { return kernelset::sum_along(*this, dimensions); }
template <typename... A> Tensor Tensor::sum(IntArrayRef dimensions, A &&...arguments) const {
  return kernelset::sum_along(*this, dimensions, arguments...);
}
template <typename... A> Tensor Tensor::clamp(A &&...arguments) const {
  const auto clamp = [this](Scalar low, Scalar high) {
    return kernelset::map_elements(*this, [&](double a) { return std::min(std::max(a, low.ks_real), high.ks_real); });
  };
  if constexpr (sizeof...(A) == 1) return clamp(arguments..., Scalar(INFINITY));
  else return clamp(arguments...);
}
template <typename... A> Tensor Tensor::clamp_min(A &&...low) const { return clamp(low...); }
template <typename... A> Tensor Tensor::cumsum(A &&...arguments) const {
  const auto add_up = [this](int64_t dimension, const auto &...) {
    const Tensor whole = is_floating_point() ? clone() : to(kLong);
    Tensor sums = whole.clone();
    for (int64_t at = 1; at < size(dimension); ++at) sums.select(dimension, at).copy_(sums.select(dimension, at - 1) + whole.select(dimension, at));
    return sums;
  };
  return add_up(arguments...);
}
KS_CALLS std::optional<Device> device_of(const Tensor &tensor) {
  return tensor.defined() ? std::optional<Device>(tensor.device()) : std::nullopt;
}
KS_CALLS Tensor cat(TensorList all, int64_t dimension) {
  if (all.empty()) throw Error("nothing to join");
  std::vector<int64_t> sizes = kernelset::list_sizes(all[0].sizes());
  const size_t along = kernelset::wrap_dimension(dimension, sizes.size());
  sizes[along] = 0;
  for (const Tensor &each : all) sizes[along] += each.size(dimension);
  const Tensor result = empty(IntArrayRef(sizes), all[0].options());
  int64_t begin = 0;
  for (const Tensor &each : all) {
    result.narrow(dimension, begin, each.size(dimension)).copy_(each);
    begin += each.size(dimension);
  }
  return result;
}
KS_CALLS Tensor stack(TensorList all, int64_t dimension) {
  std::vector<Tensor> layers;
  for (const Tensor &each : all) layers.push_back(each.unsqueeze(dimension));
  return cat(layers, dimension);
}
template <typename... A> Tensor Tensor::any(A &&...) const {
  const double any = kernelset::reduce_all(*this, 0, [](double a, double b) { return a != 0 || b != 0; }).item().ks_real;
  return kernelset::make_of({}, kBool, is_cuda(), {any});
}
template <typename... A> Tensor Tensor::all(A &&...) const {
  const double all = kernelset::reduce_all(*this, 1, [](double a, double b) { return a != 0 && b != 0; }).item().ks_real;
  return kernelset::make_of({}, kBool, is_cuda(), {all});
}

}  // namespace at
