// What joins tensors and what takes elements of them by masks and indices.
// Rule: torch.Tensor's documentation, by behaviour.
#pragma once

namespace at {

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
#define KS_JOIN(NAME, JOIN)                                                                                                  \
  template <typename... A> Tensor NAME(A &&...arguments) {                                                                   \
    const auto join = [](TensorList all, int64_t dimension = 0) { return JOIN(all, dimension); };                            \
    return join(arguments...);                                                                                               \
  }
KS_JOIN(cat, cat)
KS_JOIN(concat, cat)
KS_JOIN(stack, stack)
#undef KS_JOIN

template <typename... A> Tensor Tensor::masked_fill(A &&...arguments) const {
  const auto fill = [this](const Tensor &mask, const Scalar &value) {
    return kernelset::combine(*this, mask, scalar_type(), [&](double a, double is_hidden) { return is_hidden != 0 ? value.ks_real : a; });
  };
  return fill(arguments...);
}
template <typename... A> Tensor Tensor::masked_fill_(A &&...arguments) const { return copy_(masked_fill(arguments...)); }
template <typename... A> Tensor where(A &&...arguments) {
  const auto choose = [](const Tensor &mask, const Tensor &one, const Tensor &other) {
    const std::vector<int64_t> sizes =
        kernelset::broadcast_sizes(kernelset::list_sizes(mask.sizes()), kernelset::broadcast_sizes(kernelset::list_sizes(one.sizes()), kernelset::list_sizes(other.sizes())));
    const auto read = [&](const Tensor &tensor) { return kernelset::read_elements(kernelset::expand_to(tensor, sizes)); };
    std::vector<double> values = read(one);
    const std::vector<double> others = read(other), is_kept = read(mask);
    for (size_t at = 0; at < values.size(); ++at) values[at] = is_kept[at] != 0 ? values[at] : others[at];
    return kernelset::make_of(sizes, kernelset::type_with(one, other), one.is_cuda(), values);
  };
  return choose(arguments...);
}
template <typename... A> Tensor Tensor::index_select(A &&...arguments) const {
  const auto select_all = [this](int64_t dimension, const Tensor &index) {
    std::vector<Tensor> layers;
    for (const double each : kernelset::read_elements(index)) layers.push_back(select(dimension, static_cast<int64_t>(each)));
    return stack(layers, dimension);
  };
  return select_all(arguments...);
}
template <typename... A> Tensor index_select(A &&...arguments) {
  const auto select = [](const Tensor &tensor, const auto &...rest) { return tensor.index_select(rest...); };
  return select(arguments...);
}
// whose function `NAME(tensor, …)` is its method
#define KS_AS_FUNCTION(RESULT, NAME)                                                                                         \
  template <typename... A> RESULT NAME(A &&...arguments) {                                                                   \
    const auto call = [](const Tensor &tensor, const auto &...rest) { return tensor.NAME(rest...); };                        \
    return call(arguments...);                                                                                               \
  }
template <typename... A> Tensor Tensor::masked_select(A &&...arguments) const {
  const auto select_all = [this](const Tensor &mask) {
    const std::vector<double> values = kernelset::read_elements(*this);
    const std::vector<double> is_kept = kernelset::read_elements(mask.expand(sizes()));
    std::vector<double> kept;
    for (size_t at = 0; at < values.size(); ++at) {
      if (is_kept[at] != 0) kept.push_back(values[at]);
    }
    return kernelset::make_of({static_cast<int64_t>(kept.size())}, scalar_type(), is_cuda(), kept);
  };
  return select_all(arguments...);
}
KS_AS_FUNCTION(Tensor, masked_select)
// the index of each element that is not zero, a row each
template <typename... A> Tensor Tensor::nonzero(A &&...) const {
  const std::vector<double> values = kernelset::read_elements(*this);
  const std::vector<int64_t> shape = kernelset::list_sizes(sizes()), strides = kernelset::dense_strides(shape);
  std::vector<double> places;
  int64_t count = 0;
  for (size_t at = 0; at < values.size(); ++at) {
    if (values[at] == 0) continue;
    ++count;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      places.push_back(static_cast<double>(static_cast<int64_t>(at) / strides[axis] % shape[axis]));
    }
  }
  return kernelset::make_of({count, static_cast<int64_t>(shape.size())}, kLong, is_cuda(), places);
}
KS_AS_FUNCTION(Tensor, nonzero)
// along a dimension, the last one if none is named; equal elements keep their order
template <typename... A> std::tuple<Tensor, Tensor> Tensor::sort(A &&...arguments) const {
  const auto sort_along = [this](int64_t dimension = -1, bool is_descending = false) {
    const Tensor sorted = clone(), places = empty(sizes(), options().dtype(kLong));
    const Tensor from = transpose(dimension, -1), to = sorted.transpose(dimension, -1), to_places = places.transpose(dimension, -1);
    const std::vector<double> values = kernelset::read_elements(from);
    std::vector<double> results(values.size()), order(values.size());
    const size_t length = static_cast<size_t>(from.size(-1));
    for (size_t begin = 0; begin < values.size(); begin += length) {
      std::vector<size_t> row(length);
      std::iota(row.begin(), row.end(), size_t(0));
      std::stable_sort(row.begin(), row.end(), [&](size_t one, size_t other) {
        return is_descending ? values[begin + one] > values[begin + other] : values[begin + one] < values[begin + other];
      });
      for (size_t at = 0; at < length; ++at) {
        results[begin + at] = values[begin + row[at]];
        order[begin + at] = static_cast<double>(row[at]);
      }
    }
    kernelset::write_elements(to, results);
    kernelset::write_elements(to_places, order);
    return std::tuple<Tensor, Tensor>(sorted, places);
  };
  return sort_along(arguments...);
}
template <typename... A> std::tuple<Tensor, Tensor> sort(A &&...arguments) {
  const auto call = [](const Tensor &tensor, const auto &...rest) { return tensor.sort(rest...); };
  return call(arguments...);
}
template <typename... A> Tensor Tensor::argsort(A &&...arguments) const { return std::get<1>(sort(arguments...)); }
KS_AS_FUNCTION(Tensor, argsort)
// A permutation, the same one in each call for each length.
template <typename... A> Tensor randperm(A &&...arguments) {
  const auto make = [](int64_t count, const auto &...given) {
    std::vector<double> values(static_cast<size_t>(std::max<int64_t>(count, 0)));
    std::iota(values.begin(), values.end(), 0.0);
    std::shuffle(values.begin(), values.end(), std::minstd_rand(7));
    const TensorOptions options = kernelset::options_from(TensorOptions(kLong), given...);
    return kernelset::make_of({static_cast<int64_t>(values.size())}, options.ks_type, options.is_cuda(), values);
  };
  return make(arguments...);
}
template <typename... A> Tensor Tensor::resize_(A &&...given) const {
  auto &own = kernelset::state_of(*this);
  const std::vector<int64_t> shape = kernelset::list_sizes_given(given...);
  // what grows has new memory, of which nobody has written the rest
  const Tensor resized = empty(IntArrayRef(shape), options());
  std::vector<double> values = kernelset::read_elements(*this);
  const int64_t kept = std::min(numel(), resized.numel());
  if (kept) {
    values.resize(static_cast<size_t>(kept));
    kernelset::write_elements(resized.flatten().slice(0, 0, kept), values);
  }
  own = kernelset::state_of(resized);
  return *this;
}
KS_CALLS Tensor Tensor::resize_(IntArrayRef sizes) const { return resize_(kernelset::list_sizes(sizes)); }

}  // namespace at
