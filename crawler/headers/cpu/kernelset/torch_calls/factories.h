// What makes tensors of given sizes: `empty`, `full`, `rand`, `arange` and their like, with sizes and options in whatever form.
// Rule: c10/core/TensorOptions.h and torch's tensor creation operators, by behaviour.
#pragma once

namespace kernelset {

KS_CALLS at::Tensor make_filled(std::vector<int64_t> sizes, const at::TensorOptions &options, double value) {
  const c10::ScalarType type = options.ks_type;
  const size_t count = static_cast<size_t>(count_elements(sizes));
  const auto fill = [type, count, value](char *place) { put_elements(place, type, std::vector<double>(count, value)); };
  return make_tensor(std::move(sizes), type, options.ks_device == c10::kCUDA, fill);
}
KS_CALLS at::Tensor make_zeros(std::vector<int64_t> sizes, const at::TensorOptions &options) {
  return make_filled(std::move(sizes), options, 0);
}
KS_CALLS at::Tensor make_ones(std::vector<int64_t> sizes, const at::TensorOptions &options) {
  return make_filled(std::move(sizes), options, 1);
}
KS_CALLS at::Tensor make_empty(std::vector<int64_t> sizes, const at::TensorOptions &options) {
  return make_tensor(std::move(sizes), options.ks_type, options.ks_device == c10::kCUDA);
}
// Numbers from 0 to 1, the same in each call: a call that is repeated is to leave the same.
KS_CALLS at::Tensor make_random(std::vector<int64_t> sizes, const at::TensorOptions &options) {
  const c10::ScalarType type = options.ks_type;
  const size_t count = static_cast<size_t>(count_elements(sizes));
  const auto fill = [type, count](char *place) {
    std::minstd_rand random(7);
    std::vector<double> values(count);
    for (double &each : values) each = static_cast<double>(random() % 1024) / 1024;
    put_elements(place, type, values);
  };
  return make_tensor(std::move(sizes), type, options.ks_device == c10::kCUDA, fill);
}

// options among what a factory or a conversion is given, in whatever form
KS_CALLS void add_option(at::TensorOptions &options, const at::TensorOptions &other) { options = other; }
KS_CALLS void add_option(at::TensorOptions &options, c10::ScalarType type) { options.ks_type = type; }
KS_CALLS void add_option(at::TensorOptions &options, c10::TypeMeta type) { options.ks_type = type.ks_type; }
KS_CALLS void add_option(at::TensorOptions &options, c10::DeviceType device) { options.ks_device = device; }
KS_CALLS void add_option(at::TensorOptions &options, c10::Device device) { options.ks_device = device.type(); }
KS_CALLS void add_option(at::TensorOptions &options, const at::DeprecatedTypeProperties &type) { options = type; }
KS_CALLS void add_option(at::TensorOptions &, bool) {}
KS_CALLS void add_option(at::TensorOptions &, c10::Layout) {}
KS_CALLS void add_option(at::TensorOptions &, c10::MemoryFormat) {}
KS_CALLS void add_option(at::TensorOptions &, std::nullopt_t) {}
template <typename T> void add_option(at::TensorOptions &options, const std::optional<T> &option) {
  if (option) add_option(options, *option);
}
template <typename... A> at::TensorOptions options_from(at::TensorOptions options, const A &...arguments) {
  (add_option(options, arguments), ...);
  return options;
}

template <typename T> constexpr bool is_size = std::is_integral_v<T> && !std::is_same_v<T, bool>;
// what a factory is asked for: a list of sizes or sizes one by one, and options behind them
struct Request {
  at::TensorOptions options;
  std::vector<int64_t> sizes = {};
  template <typename T> void add(const T &argument) {
    if constexpr (is_size<T>) sizes.push_back(static_cast<int64_t>(argument));
    else if constexpr (is_size_list<T>) sizes = list_sizes(argument);
    else add_option(options, argument);
  }
};
template <typename... A> Request read_request(at::TensorOptions options, const A &...arguments) {
  Request request{std::move(options)};
  (request.add(arguments), ...);
  return request;
}

}  // namespace kernelset

namespace at {

#define KS_FACTORY(NAME, MAKE)                                                                                               \
  KS_CALLS Tensor NAME(IntArrayRef sizes) { return MAKE(kernelset::list_sizes(sizes), TensorOptions()); }                    \
  template <typename... A> Tensor NAME(IntArrayRef sizes, A &&...options) {                                                  \
    return MAKE(kernelset::list_sizes(sizes), kernelset::options_from(TensorOptions(), options...));                         \
  }                                                                                                                          \
  template <typename... A> Tensor NAME(A &&...arguments) {                                                                   \
    auto request = kernelset::read_request(TensorOptions(), arguments...);                                                   \
    return MAKE(std::move(request.sizes), request.options);                                                                  \
  }
KS_FACTORY(empty, kernelset::make_empty)
KS_FACTORY(zeros, kernelset::make_zeros)
KS_FACTORY(ones, kernelset::make_ones)
KS_FACTORY(rand, kernelset::make_random)
#undef KS_FACTORY
KS_CALLS Tensor full(IntArrayRef sizes, Scalar value, TensorOptions options) {
  return kernelset::make_filled(kernelset::list_sizes(sizes), options, value.ks_real);
}
template <typename... A> Tensor full(IntArrayRef sizes, A &&...arguments) {
  const auto make = [&](Scalar value, const auto &...options) {
    return full(sizes, value, kernelset::options_from(TensorOptions(), options...));
  };
  return make(arguments...);
}
template <typename... A> Tensor full(A &&...arguments) {
  const auto make = [](IntArrayRef sizes, Scalar value, const auto &...options) {
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
KS_FACTORY_LIKE(zeros_like, kernelset::make_zeros)
KS_FACTORY_LIKE(ones_like, kernelset::make_ones)
KS_FACTORY_LIKE(rand_like, kernelset::make_random)
#undef KS_FACTORY_LIKE
template <typename... A> Tensor full_like(A &&...arguments) {
  const auto make = [](const Tensor &like, Scalar value, const auto &...options) {
    return full(like.sizes(), value, kernelset::options_from(like.options(), options...));
  };
  return make(arguments...);
}
#define KS_FACTORY_NEW(NAME, MAKE)                                                                                           \
  KS_CALLS Tensor Tensor::NAME(IntArrayRef sizes) const { return MAKE(kernelset::list_sizes(sizes), options()); }            \
  template <typename... A> Tensor Tensor::NAME(IntArrayRef sizes, A &&...arguments) const {                                  \
    return MAKE(kernelset::list_sizes(sizes), kernelset::options_from(options(), arguments...));                             \
  }                                                                                                                          \
  template <typename... A> Tensor Tensor::NAME(A &&...arguments) const {                                                     \
    auto request = kernelset::read_request(options(), arguments...);                                                         \
    return MAKE(std::move(request.sizes), request.options);                                                                  \
  }
KS_FACTORY_NEW(new_empty, kernelset::make_empty)
KS_FACTORY_NEW(new_zeros, kernelset::make_zeros)
KS_FACTORY_NEW(new_ones, kernelset::make_ones)
#undef KS_FACTORY_NEW
template <typename... A> Tensor Tensor::new_full(IntArrayRef sizes, A &&...arguments) const {
  const auto make = [&](Scalar value, const auto &...given) {
    return full(sizes, value, kernelset::options_from(options(), given...));
  };
  return make(arguments...);
}
template <typename... A> Tensor Tensor::new_full(A &&...arguments) const {
  const auto make = [&](IntArrayRef sizes, Scalar value, const auto &...given) {
    return full(sizes, value, kernelset::options_from(options(), given...));
  };
  return make(arguments...);
}
// from zero, or from a first number, to below another one
template <typename... A> Tensor arange(A &&...arguments) {
  const auto make_range = [](Scalar begin, Scalar end, const auto &...given) {
    const size_t count = static_cast<size_t>(std::max<int64_t>(end.ks_integer - begin.ks_integer, 0));
    std::vector<double> values(count);
    std::iota(values.begin(), values.end(), begin.ks_real);
    const TensorOptions options = kernelset::options_from(TensorOptions(end.ks_is_real ? kFloat : kLong), given...);
    return kernelset::make_of({static_cast<int64_t>(count)}, options.ks_type, options.is_cuda(), values);
  };
  const auto make = [&](Scalar first, const auto &...rest) {
    using Second = std::tuple_element_t<0, std::tuple<std::decay_t<decltype(rest)>..., void *>>;
    if constexpr (std::is_arithmetic_v<Second> && !std::is_same_v<Second, bool>) return make_range(first, rest...);
    else return make_range(0, first, rest...);
  };
  return make(arguments...);
}

}  // namespace at
