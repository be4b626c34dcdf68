// Products of matrices, one after another or of a batch.
// Rule: torch.matmul's documentation, by behaviour; sums are of doubles.
#pragma once

namespace kernelset {

// [rows, inner] by [inner, columns]
KS_CALLS at::Tensor multiply_matrices(const at::Tensor &one, const at::Tensor &other) {
  if (one.dim() != 2 || other.dim() != 2 || one.size(1) != other.size(0)) throw c10::Error("matrices do not fit");
  const int64_t rows = one.size(0), inner = one.size(1), columns = other.size(1);
  if (rows * columns > most_tensor_bytes / std::max<int64_t>(inner, 1)) throw c10::Error("too large");
  const std::vector<double> first = read_elements(one), second = read_elements(other);
  std::vector<double> values(static_cast<size_t>(rows * columns));
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t at = 0; at < inner; ++at) {
      const double factor = first[static_cast<size_t>(row * inner + at)];
      for (int64_t column = 0; column < columns; ++column) {
        values[static_cast<size_t>(row * columns + column)] += factor * second[static_cast<size_t>(at * columns + column)];
      }
    }
  }
  return make_of({rows, columns}, type_with(one, other), one.is_cuda(), values);
}
KS_CALLS at::Tensor multiply_batches(const at::Tensor &one, const at::Tensor &other) {
  if (one.dim() != 3 || other.dim() != 3 || one.size(0) != other.size(0)) throw c10::Error("batches do not fit");
  std::vector<at::Tensor> products;
  for (int64_t at = 0; at < one.size(0); ++at) products.push_back(multiply_matrices(one[at], other[at]));
  return stack(products, 0);
}
KS_CALLS at::Tensor multiply_any(const at::Tensor &one, const at::Tensor &other) {
  if (one.dim() == 2 && other.dim() == 2) return multiply_matrices(one, other);
  if (one.dim() == 3 && other.dim() == 3) return multiply_batches(one, other);
  if (one.dim() == 2 && other.dim() == 1) return multiply_matrices(one, other.unsqueeze(1)).squeeze(1);
  if (one.dim() == 1 && other.dim() == 2) return multiply_matrices(one.unsqueeze(0), other).squeeze(0);
  if (one.dim() == 1 && other.dim() == 1) return (one * other).sum();
  throw c10::Error("a product of these ranks");
}

}  // namespace kernelset

namespace at {

#define KS_PRODUCT(NAME, MULTIPLY)                                                                                           \
  template <typename... A> Tensor Tensor::NAME(A &&...other) const { return MULTIPLY(*this, other...); }                     \
  template <typename... A> Tensor NAME(A &&...factors) { return MULTIPLY(factors...); }                                      \
  template <typename... A> Tensor NAME##_out(A &&...arguments) {                                                             \
    const auto write = [](const Tensor &result, const auto &...factors) { return result.copy_(MULTIPLY(factors...)); };      \
    return write(arguments...);                                                                                              \
  }
KS_PRODUCT(mm, kernelset::multiply_matrices)
KS_PRODUCT(bmm, kernelset::multiply_batches)
KS_PRODUCT(matmul, kernelset::multiply_any)
#undef KS_PRODUCT

}  // namespace at
