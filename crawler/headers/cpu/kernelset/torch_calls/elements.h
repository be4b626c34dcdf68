// Elements of tensors as real numbers: read, written, and converted to the type that a tensor has.
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
KS_CALLS std::vector<double> take_elements(const std::vector<char> &bytes, c10::ScalarType type) {
  std::vector<double> values(bytes.size() / c10::elementSize(type));
  with_element_type(type, [&](auto zero) {
    using T = decltype(zero);
    for (size_t at = 0; at < values.size(); ++at) {
      T element;
      memcpy(&element, bytes.data() + at * sizeof(T), sizeof(T));
      values[at] = real_of(element);
    }
  });
  return values;
}
KS_CALLS std::vector<double> read_elements(const at::Tensor &tensor) { return take_elements(read_bytes(tensor), tensor.scalar_type()); }
KS_CALLS void write_elements(const at::Tensor &tensor, const std::vector<double> &values) {
  std::vector<char> bytes(values.size() * c10::elementSize(tensor.scalar_type()));
  put_elements(bytes.data(), tensor.scalar_type(), values);
  write_bytes(tensor, bytes);
}
KS_CALLS at::Tensor make_of(const std::vector<int64_t> &sizes, c10::ScalarType type, bool is_cuda, const std::vector<double> &values) {
  at::Tensor tensor = make_tensor(sizes, type, is_cuda);
  write_elements(tensor, values);
  return tensor;
}

}  // namespace kernelset
