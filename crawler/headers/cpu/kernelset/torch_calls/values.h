// Values that PyTorch's host side passes about: what `torch_host.h` declares of types, devices, options, numbers and lists.
// Rule: c10/core/ScalarType.h, c10/core/TensorOptions.h, c10/core/Scalar.h and c10/util/ArrayRef.h of PyTorch, by behaviour.
#pragma once

namespace c10 {

KS_CALLS Error::Error(std::string message) : ks_message(message) {}
KS_CALLS const char *Error::what() const noexcept { return ks_message.c_str(); }
template <typename... Parts> std::string str(const Parts &...) { return {}; }

KS_CALLS size_t elementSize(ScalarType type) {
  switch (type) {
    case ScalarType::Byte: case ScalarType::Char: case ScalarType::Bool: return 1;
    case ScalarType::Short: case ScalarType::Half: case ScalarType::BFloat16: case ScalarType::UInt16: return 2;
    case ScalarType::Int: case ScalarType::Float: case ScalarType::UInt32: case ScalarType::ComplexHalf: return 4;
    case ScalarType::Long: case ScalarType::Double: case ScalarType::UInt64: case ScalarType::ComplexFloat: return 8;
    case ScalarType::ComplexDouble: return 16;
    default: return 1;
  }
}
KS_CALLS bool isFloatingType(ScalarType type) {
  return type == ScalarType::Half || type == ScalarType::BFloat16 || type == ScalarType::Float || type == ScalarType::Double;
}
KS_CALLS bool isIntegralType(ScalarType type, bool with_bool) {
  return type <= ScalarType::Long || (with_bool && type == ScalarType::Bool);
}
KS_CALLS const char *toString(ScalarType) { return ""; }

KS_CALLS Device::Device(DeviceType type, DeviceIndex index) : ks_type(type), ks_index(index) {}
KS_CALLS Device::Device(const std::string &name) : ks_type(name.rfind("cpu", 0) == 0 ? kCPU : kCUDA), ks_index(-1) {}
KS_CALLS Device::Device(const char *name) : Device(std::string(name)) {}
KS_CALLS DeviceIndex Device::index() const { return ks_index; }
KS_CALLS bool Device::has_index() const { return ks_index >= 0; }
KS_CALLS DeviceType Device::type() const { return ks_type; }
KS_CALLS bool Device::is_cuda() const { return ks_type == kCUDA; }
KS_CALLS bool Device::is_cpu() const { return ks_type == kCPU; }
inline bool Device::operator==(const Device &other) const { return ks_type == other.ks_type; }
KS_CALLS bool Device::operator!=(const Device &other) const { return ks_type != other.ks_type; }
KS_CALLS std::string Device::str() const { return is_cuda() ? "cuda:0" : "cpu"; }

template <typename T> ArrayRef<T>::ArrayRef() : ks_data(nullptr), ks_size(0) {}
template <typename T> ArrayRef<T>::ArrayRef(const T &one) : ks_data(&one), ks_size(1) {}
template <typename T> ArrayRef<T>::ArrayRef(const T *data, size_t size) : ks_data(data), ks_size(size) {}
template <typename T> ArrayRef<T>::ArrayRef(const std::vector<T> &all) : ks_data(all.data()), ks_size(all.size()) {}
template <typename T> ArrayRef<T>::ArrayRef(const std::initializer_list<T> &all) : ks_data(all.begin()), ks_size(all.size()) {}
template <typename T> template <size_t N> ArrayRef<T>::ArrayRef(const std::array<T, N> &all) : ks_data(all.data()), ks_size(N) {}
template <typename T> const T *ArrayRef<T>::begin() const { return ks_data; }
template <typename T> const T *ArrayRef<T>::end() const { return ks_data + ks_size; }
template <typename T> const T *ArrayRef<T>::data() const { return ks_data; }
template <typename T> size_t ArrayRef<T>::size() const { return ks_size; }
template <typename T> bool ArrayRef<T>::empty() const { return !ks_size; }
template <typename T> const T &ArrayRef<T>::at(size_t index) const {
  if (index >= ks_size) throw Error("index out of range");
  return ks_data[index];
}
template <typename T> const T &ArrayRef<T>::operator[](size_t index) const { return at(index); }
template <typename T> const T &ArrayRef<T>::front() const { return at(0); }
template <typename T> const T &ArrayRef<T>::back() const { return at(ks_size - 1); }
template <typename T> ArrayRef<T> ArrayRef<T>::slice(size_t begin, size_t size) const {
  if (begin + size > ks_size) throw Error("slice out of range");
  return ArrayRef<T>(ks_data + begin, size);
}
template <typename T> ArrayRef<T> ArrayRef<T>::slice(size_t begin) const { return slice(begin, ks_size - begin); }
template <typename T> std::vector<T> ArrayRef<T>::vec() const { return std::vector<T>(begin(), end()); }
template <typename T> bool ArrayRef<T>::equals(ArrayRef other) const { return std::equal(begin(), end(), other.begin(), other.end()); }
template <typename T> bool operator==(const ArrayRef<T> &one, const ArrayRef<T> &other) { return one.equals(other); }
template <typename T> bool operator!=(const ArrayRef<T> &one, const ArrayRef<T> &other) { return !one.equals(other); }

KS_CALLS Scalar::Scalar() {}
template <typename T> Scalar::Scalar(T value) : ks_real(static_cast<double>(value)), ks_is_real(!std::is_integral_v<T>) {
  if constexpr (std::is_integral_v<T>) ks_integer = static_cast<int64_t>(value);
  else ks_integer = static_cast<int64_t>(ks_real);
}
template <typename T> T Scalar::to() const {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(ks_integer);
  else return static_cast<T>(ks_real);
}
KS_CALLS double Scalar::toDouble() const { return ks_real; }
KS_CALLS float Scalar::toFloat() const { return static_cast<float>(ks_real); }
KS_CALLS int64_t Scalar::toLong() const { return ks_integer; }
KS_CALLS int Scalar::toInt() const { return static_cast<int>(ks_integer); }
KS_CALLS bool Scalar::toBool() const { return ks_real != 0; }
KS_CALLS bool Scalar::isFloatingPoint() const { return ks_is_real; }

inline bool TypeMeta::operator==(ScalarType other) const { return ks_type == other; }
KS_CALLS TypeMeta::operator ScalarType() const { return ks_type; }
KS_CALLS size_t TypeMeta::itemsize() const { return elementSize(ks_type); }

KS_CALLS DeviceGuard::DeviceGuard(Device) {}
KS_CALLS InferenceMode::InferenceMode(bool) {}
KS_CALLS int64_t Stream::id() const { return 0; }

namespace cuda {
KS_CALLS cudaStream_t CUDAStream::stream() const { return nullptr; }
KS_CALLS CUDAStream::operator cudaStream_t() const { return nullptr; }
KS_CALLS void CUDAStream::synchronize() const {}
KS_CALLS DeviceIndex CUDAStream::device_index() const { return 0; }
KS_CALLS int64_t CUDAStream::id() const { return 0; }
KS_CALLS CUDAStream getCurrentCUDAStream(DeviceIndex) { return {}; }
KS_CALLS CUDAStream getCurrentHIPStream(DeviceIndex) { return {}; }
KS_CALLS CUDAStream getStreamFromPool(bool, DeviceIndex) { return {}; }
KS_CALLS CUDAStream getDefaultCUDAStream(DeviceIndex) { return {}; }
KS_CALLS CUDAStream getStreamFromExternal(cudaStream_t, DeviceIndex) { return {}; }
KS_CALLS void setCurrentCUDAStream(CUDAStream) {}
KS_CALLS DeviceIndex current_device() { return 0; }
KS_CALLS DeviceIndex device_count() { return 1; }
KS_CALLS void set_device(DeviceIndex) {}
KS_CALLS void device_synchronize() {}
KS_CALLS CUDAGuard::CUDAGuard(Device) {}
KS_CALLS CUDAGuard::CUDAGuard(DeviceIndex) {}
KS_CALLS void CUDAGuard::set_index(DeviceIndex) {}
KS_CALLS OptionalCUDAGuard::OptionalCUDAGuard() {}
KS_CALLS OptionalCUDAGuard::OptionalCUDAGuard(std::optional<Device>) {}
KS_CALLS OptionalCUDAGuard::OptionalCUDAGuard(Device) {}
KS_CALLS OptionalCUDAGuard::OptionalCUDAGuard(DeviceIndex) {}
KS_CALLS CUDAStreamGuard::CUDAStreamGuard(CUDAStream) {}
KS_CALLS CUDAStreamGuard::CUDAStreamGuard(Stream) {}
}  // namespace cuda
}  // namespace c10

namespace at {

KS_CALLS TensorOptions::TensorOptions() {}
KS_CALLS TensorOptions::TensorOptions(ScalarType type) : ks_type(type) {}
KS_CALLS TensorOptions::TensorOptions(Device device) : ks_device(device.type()) {}
KS_CALLS TensorOptions::TensorOptions(DeviceType device) : ks_device(device) {}
KS_CALLS TensorOptions TensorOptions::dtype(ScalarType type) const {
  TensorOptions options = *this;
  options.ks_type = type;
  return options;
}
KS_CALLS TensorOptions TensorOptions::dtype(TypeMeta type) const { return dtype(static_cast<ScalarType>(type)); }
template <typename T> TensorOptions TensorOptions::dtype() const { return dtype(CppTypeToScalarType<T>::value); }
KS_CALLS TensorOptions TensorOptions::device(DeviceType device, DeviceIndex) const {
  TensorOptions options = *this;
  options.ks_device = device;
  return options;
}
KS_CALLS TensorOptions TensorOptions::device(Device device) const { return this->device(device.type()); }
KS_CALLS Device TensorOptions::device() const { return Device(ks_device, 0); }
KS_CALLS TypeMeta TensorOptions::dtype() const { return TypeMeta{ks_type}; }
KS_CALLS TensorOptions TensorOptions::layout(Layout) const { return *this; }
KS_CALLS TensorOptions TensorOptions::requires_grad(bool) const { return *this; }
KS_CALLS TensorOptions TensorOptions::memory_format(MemoryFormat) const { return *this; }
KS_CALLS TensorOptions TensorOptions::pinned_memory(bool) const { return *this; }
KS_CALLS bool TensorOptions::is_cuda() const { return ks_device == kCUDA; }
KS_CALLS TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
KS_CALLS TensorOptions device(Device device) { return TensorOptions(device); }
KS_CALLS TensorOptions requires_grad(bool) { return {}; }

KS_CALLS ScalarType DeprecatedTypeProperties::scalarType() const { return ks_type; }
KS_CALLS bool DeprecatedTypeProperties::is_cuda() const { return ks_is_cuda; }
KS_CALLS DeprecatedTypeProperties::operator ScalarType() const { return ks_type; }
KS_CALLS DeprecatedTypeProperties::operator TensorOptions() const {
  return TensorOptions(ks_type).device(ks_is_cuda ? kCUDA : kCPU);
}

namespace cuda {
KS_CALLS cudaDeviceProp *getDeviceProperties(int64_t) {
  static cudaDeviceProp properties;
  static const cudaError_t error = cudaGetDeviceProperties(&properties, 0);
  if (error) throw Error("no properties");
  return &properties;
}
KS_CALLS cudaDeviceProp *getCurrentDeviceProperties() { return getDeviceProperties(0); }
KS_CALLS int warp_size() { return 32; }
KS_CALLS bool is_available() { return true; }
}  // namespace cuda
KS_CALLS bool hasCUDA() { return true; }
KS_CALLS int64_t get_num_threads() { return 1; }
KS_CALLS void alertNotDeterministic(const char *) {}
KS_CALLS bool Context::deterministicAlgorithms() const { return false; }
KS_CALLS bool Context::allowTF32CuBLAS() const { return false; }
KS_CALLS bool Context::hasCUDA() const { return true; }
KS_CALLS Context &globalContext() {
  static Context context;
  return context;
}
KS_CALLS AutoGradMode::AutoGradMode(bool) {}
KS_CALLS AutoNonVariableTypeMode::AutoNonVariableTypeMode(bool) {}
template <typename F> void parallel_for(int64_t begin, int64_t end, int64_t, const F &body) { body(begin, end); }

}  // namespace at
