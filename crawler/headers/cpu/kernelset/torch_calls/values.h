// Values that PyTorch's host side passes about: what `torch_host.h` declares of types, devices, options, numbers and lists.
// Rule: c10/core/ScalarType.h, c10/core/TensorOptions.h, c10/core/Scalar.h and c10/util/ArrayRef.h of PyTorch, by behaviour.
#pragma once

namespace c10 {

inline Error::Error(std::string message) : ks_message(message) {}
inline const char *Error::what() const noexcept { return ks_message.c_str(); }
template <typename... Parts> std::string str(const Parts &...) { return {}; }

inline size_t elementSize(ScalarType type) {
  switch (type) {
    case ScalarType::Byte: case ScalarType::Char: case ScalarType::Bool: return 1;
    case ScalarType::Short: case ScalarType::Half: case ScalarType::BFloat16: case ScalarType::UInt16: return 2;
    case ScalarType::Int: case ScalarType::Float: case ScalarType::UInt32: case ScalarType::ComplexHalf: return 4;
    case ScalarType::Long: case ScalarType::Double: case ScalarType::UInt64: case ScalarType::ComplexFloat: return 8;
    case ScalarType::ComplexDouble: return 16;
    default: return 1;
  }
}
inline bool isFloatingType(ScalarType type) {
  return type == ScalarType::Half || type == ScalarType::BFloat16 || type == ScalarType::Float || type == ScalarType::Double;
}
inline bool isIntegralType(ScalarType type, bool with_bool) {
  return type <= ScalarType::Long || (with_bool && type == ScalarType::Bool);
}
inline const char *toString(ScalarType) { return ""; }

inline Device::Device(DeviceType type, DeviceIndex index) : ks_type(type), ks_index(index) {}
inline Device::Device(const std::string &name) : ks_type(name.rfind("cpu", 0) == 0 ? kCPU : kCUDA), ks_index(-1) {}
inline Device::Device(const char *name) : Device(std::string(name)) {}
inline DeviceIndex Device::index() const { return ks_index; }
inline bool Device::has_index() const { return ks_index >= 0; }
inline DeviceType Device::type() const { return ks_type; }
inline bool Device::is_cuda() const { return ks_type == kCUDA; }
inline bool Device::is_cpu() const { return ks_type == kCPU; }
inline bool Device::operator==(const Device &other) const { return ks_type == other.ks_type; }
inline bool Device::operator!=(const Device &other) const { return ks_type != other.ks_type; }
inline std::string Device::str() const { return is_cuda() ? "cuda:0" : "cpu"; }

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

inline Scalar::Scalar() {}
template <typename T> Scalar::Scalar(T value) : ks_real(static_cast<double>(value)), ks_is_real(!std::is_integral_v<T>) {
  if constexpr (std::is_integral_v<T>) ks_integer = static_cast<int64_t>(value);
  else ks_integer = static_cast<int64_t>(ks_real);
}
template <typename T> T Scalar::to() const {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(ks_integer);
  else return static_cast<T>(ks_real);
}
inline double Scalar::toDouble() const { return ks_real; }
inline float Scalar::toFloat() const { return static_cast<float>(ks_real); }
inline int64_t Scalar::toLong() const { return ks_integer; }
inline int Scalar::toInt() const { return static_cast<int>(ks_integer); }
inline bool Scalar::toBool() const { return ks_real != 0; }
inline bool Scalar::isFloatingPoint() const { return ks_is_real; }

inline bool TypeMeta::operator==(ScalarType other) const { return ks_type == other; }
inline TypeMeta::operator ScalarType() const { return ks_type; }
inline size_t TypeMeta::itemsize() const { return elementSize(ks_type); }

inline DeviceGuard::DeviceGuard(Device) {}
inline InferenceMode::InferenceMode(bool) {}
inline int64_t Stream::id() const { return 0; }

namespace cuda {
inline cudaStream_t CUDAStream::stream() const { return nullptr; }
inline CUDAStream::operator cudaStream_t() const { return nullptr; }
inline void CUDAStream::synchronize() const {}
inline DeviceIndex CUDAStream::device_index() const { return 0; }
inline int64_t CUDAStream::id() const { return 0; }
inline CUDAStream getCurrentCUDAStream(DeviceIndex) { return {}; }
inline CUDAStream getCurrentHIPStream(DeviceIndex) { return {}; }
inline CUDAStream getStreamFromPool(bool, DeviceIndex) { return {}; }
inline CUDAStream getDefaultCUDAStream(DeviceIndex) { return {}; }
inline CUDAStream getStreamFromExternal(cudaStream_t, DeviceIndex) { return {}; }
inline void setCurrentCUDAStream(CUDAStream) {}
inline DeviceIndex current_device() { return 0; }
inline DeviceIndex device_count() { return 1; }
inline void set_device(DeviceIndex) {}
inline void device_synchronize() {}
inline CUDAGuard::CUDAGuard(Device) {}
inline CUDAGuard::CUDAGuard(DeviceIndex) {}
inline void CUDAGuard::set_index(DeviceIndex) {}
inline OptionalCUDAGuard::OptionalCUDAGuard() {}
inline OptionalCUDAGuard::OptionalCUDAGuard(std::optional<Device>) {}
inline OptionalCUDAGuard::OptionalCUDAGuard(Device) {}
inline OptionalCUDAGuard::OptionalCUDAGuard(DeviceIndex) {}
inline CUDAStreamGuard::CUDAStreamGuard(CUDAStream) {}
inline CUDAStreamGuard::CUDAStreamGuard(Stream) {}
}  // namespace cuda
}  // namespace c10

namespace at {

inline TensorOptions::TensorOptions() {}
inline TensorOptions::TensorOptions(ScalarType type) : ks_type(type) {}
inline TensorOptions::TensorOptions(Device device) : ks_device(device.type()) {}
inline TensorOptions::TensorOptions(DeviceType device) : ks_device(device) {}
inline TensorOptions TensorOptions::dtype(ScalarType type) const {
  TensorOptions options = *this;
  options.ks_type = type;
  return options;
}
inline TensorOptions TensorOptions::dtype(TypeMeta type) const { return dtype(static_cast<ScalarType>(type)); }
template <typename T> TensorOptions TensorOptions::dtype() const { return dtype(CppTypeToScalarType<T>::value); }
inline TensorOptions TensorOptions::device(DeviceType device, DeviceIndex) const {
  TensorOptions options = *this;
  options.ks_device = device;
  return options;
}
inline TensorOptions TensorOptions::device(Device device) const { return this->device(device.type()); }
inline Device TensorOptions::device() const { return Device(ks_device, 0); }
inline TypeMeta TensorOptions::dtype() const { return TypeMeta{ks_type}; }
inline TensorOptions TensorOptions::layout(Layout) const { return *this; }
inline TensorOptions TensorOptions::requires_grad(bool) const { return *this; }
inline TensorOptions TensorOptions::memory_format(MemoryFormat) const { return *this; }
inline TensorOptions TensorOptions::pinned_memory(bool) const { return *this; }
inline bool TensorOptions::is_cuda() const { return ks_device == kCUDA; }
inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions requires_grad(bool) { return {}; }

inline ScalarType DeprecatedTypeProperties::scalarType() const { return ks_type; }
inline bool DeprecatedTypeProperties::is_cuda() const { return ks_is_cuda; }
inline DeprecatedTypeProperties::operator ScalarType() const { return ks_type; }
inline DeprecatedTypeProperties::operator TensorOptions() const {
  return TensorOptions(ks_type).device(ks_is_cuda ? kCUDA : kCPU);
}

namespace cuda {
inline cudaDeviceProp *getDeviceProperties(int64_t) {
  static cudaDeviceProp properties;
  static const cudaError_t error = cudaGetDeviceProperties(&properties, 0);
  if (error) throw Error("no properties");
  return &properties;
}
inline cudaDeviceProp *getCurrentDeviceProperties() { return getDeviceProperties(0); }
inline int warp_size() { return 32; }
inline bool is_available() { return true; }
}  // namespace cuda
inline bool hasCUDA() { return true; }
inline int64_t get_num_threads() { return 1; }
inline void alertNotDeterministic(const char *) {}
inline bool Context::deterministicAlgorithms() const { return false; }
inline bool Context::allowTF32CuBLAS() const { return false; }
inline bool Context::hasCUDA() const { return true; }
inline Context &globalContext() {
  static Context context;
  return context;
}
inline AutoGradMode::AutoGradMode(bool) {}
inline AutoNonVariableTypeMode::AutoNonVariableTypeMode(bool) {}
template <typename F> void parallel_for(int64_t begin, int64_t end, int64_t, const F &body) { body(begin, end); }

}  // namespace at
