// Reductions of tensors, along dimensions or of all elements.
// Rule: torch.Tensor's documentation, by behaviour.
#pragma once

namespace kernelset {

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
// The best element along a dimension and where it stands; `is_better` compares one with the best before it.
template <class Compare>
std::tuple<at::Tensor, at::Tensor> find_best(const at::Tensor &tensor, int64_t dimension, bool keeps, const Compare &is_better) {
  const TensorState &own = state_of(tensor);
  const size_t along = wrap_dimension(dimension, own.sizes.size());
  if (!own.sizes[along]) throw c10::Error("no elements");
  const at::Tensor first = select_of(tensor, dimension, 0);
  std::vector<double> best = read_elements(first), places(best.size(), 0);
  for (int64_t index = 1; index < own.sizes[along]; ++index) {
    const std::vector<double> layer = read_elements(select_of(tensor, dimension, index));
    for (size_t at = 0; at < best.size(); ++at) {
      if (!is_better(layer[at], best[at])) continue;
      best[at] = layer[at];
      places[at] = static_cast<double>(index);
    }
  }
  std::vector<int64_t> sizes = state_of(first).sizes;
  if (keeps) sizes.insert(sizes.begin() + static_cast<long>(along), 1);
  return {make_of(sizes, own.type, tensor.is_cuda(), best), make_of(sizes, c10::kLong, tensor.is_cuda(), places)};
}
template <class Combine> at::Tensor reduce_all(const at::Tensor &tensor, double start, const Combine &value) {
  double result = start;
  for (const double each : read_elements(tensor)) result = value(result, each);
  return make_of({}, tensor.scalar_type(), tensor.is_cuda(), {result});
}

}  // namespace kernelset

namespace at {

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
KS_CALLS std::tuple<Tensor, Tensor> Tensor::max(int64_t dimension, bool keeps) const {
  return kernelset::find_best(*this, dimension, keeps, [](double a, double b) { return a > b; });
}
KS_CALLS std::tuple<Tensor, Tensor> Tensor::min(int64_t dimension, bool keeps) const {
  return kernelset::find_best(*this, dimension, keeps, [](double a, double b) { return a < b; });
}
KS_CALLS std::tuple<Tensor, Tensor> max(const Tensor &tensor, int64_t dimension, bool keeps) { return tensor.max(dimension, keeps); }
KS_CALLS std::tuple<Tensor, Tensor> min(const Tensor &tensor, int64_t dimension, bool keeps) { return tensor.min(dimension, keeps); }
KS_CALLS Tensor Tensor::max(const Tensor &other) const {
  return kernelset::combine(*this, other, kernelset::type_with(*this, other), [](double a, double b) { return a > b ? a : b; });
}
KS_CALLS Tensor Tensor::min(const Tensor &other) const {
  return kernelset::combine(*this, other, kernelset::type_with(*this, other), [](double a, double b) { return a < b ? a : b; });
}
KS_CALLS Tensor max(const Tensor &one, const Tensor &other) { return one.max(other); }
KS_CALLS Tensor min(const Tensor &one, const Tensor &other) { return one.min(other); }
template <typename... A> Tensor Tensor::sum(A &&...arguments) const {
  if constexpr (!sizeof...(A)) return kernelset::reduce_all(*this, 0, [](double a, double b) { return a + b; });
  else return kernelset::sum_along(*this, arguments...);
}
KS_CALLS Tensor Tensor::sum(IntArrayRef dimensions) const { return kernelset::sum_along(*this, dimensions); }
template <typename... A> Tensor Tensor::sum(IntArrayRef dimensions, A &&...arguments) const {
  return kernelset::sum_along(*this, dimensions, arguments...);
}
template <typename... A> Tensor Tensor::cumsum(A &&...arguments) const {
  const auto add_up = [this](int64_t dimension, const auto &...) {
    const Tensor whole = is_floating_point() ? clone() : to(kLong);
    Tensor sums = whole.clone();
    for (int64_t at = 1; at < size(dimension); ++at) sums.select(dimension, at).copy_(sums.select(dimension, at - 1) + whole.select(dimension, at));
    return sums;
  };
  return add_up(arguments...);
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
