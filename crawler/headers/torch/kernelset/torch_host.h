// The host side of PyTorch that launchers are written in: tensors, checks, streams, dispatch and binding macros.
// Declared, never defined. The dispatch macros really expand their lambda once for each type, so that the launches in it
// are instantiated for each.
// Rule: ATen/Dispatch.h, c10/util/Exception.h, torch/library.h and pybind11 of PyTorch, by interface.
#pragma once
#include <kernelset/torch_types.h>
#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace c10 {

enum class ScalarType : int8_t { Byte, Char, Short, Int, Long, Half, Float, Double, ComplexHalf, ComplexFloat, ComplexDouble, Bool, BFloat16, Float8_e5m2, Float8_e4m3fn, Float8_e5m2fnuz, Float8_e4m3fnuz, UInt16, UInt32, UInt64, QInt8, QUInt8, QInt32, Float8_e8m0fnu, Float4_e2m1fn_x2, Undefined };
template <ScalarType> struct ScalarTypeToCPPType { using type = float; };
template <typename T> struct CppTypeToScalarType { static constexpr ScalarType value = ScalarType::Undefined; };
template <> struct ScalarTypeToCPPType<ScalarType::Byte> { using type = uint8_t; };
template <> struct CppTypeToScalarType<uint8_t> { static constexpr ScalarType value = ScalarType::Byte; };
template <> struct ScalarTypeToCPPType<ScalarType::Char> { using type = int8_t; };
template <> struct CppTypeToScalarType<int8_t> { static constexpr ScalarType value = ScalarType::Char; };
template <> struct ScalarTypeToCPPType<ScalarType::Short> { using type = int16_t; };
template <> struct CppTypeToScalarType<int16_t> { static constexpr ScalarType value = ScalarType::Short; };
template <> struct ScalarTypeToCPPType<ScalarType::Int> { using type = int; };
template <> struct CppTypeToScalarType<int> { static constexpr ScalarType value = ScalarType::Int; };
template <> struct ScalarTypeToCPPType<ScalarType::Long> { using type = int64_t; };
template <> struct CppTypeToScalarType<int64_t> { static constexpr ScalarType value = ScalarType::Long; };
template <> struct ScalarTypeToCPPType<ScalarType::Half> { using type = c10::Half; };
template <> struct CppTypeToScalarType<c10::Half> { static constexpr ScalarType value = ScalarType::Half; };
template <> struct ScalarTypeToCPPType<ScalarType::Float> { using type = float; };
template <> struct CppTypeToScalarType<float> { static constexpr ScalarType value = ScalarType::Float; };
template <> struct ScalarTypeToCPPType<ScalarType::Double> { using type = double; };
template <> struct CppTypeToScalarType<double> { static constexpr ScalarType value = ScalarType::Double; };
template <> struct ScalarTypeToCPPType<ScalarType::ComplexHalf> { using type = c10::complex<c10::Half>; };
template <> struct CppTypeToScalarType<c10::complex<c10::Half>> { static constexpr ScalarType value = ScalarType::ComplexHalf; };
template <> struct ScalarTypeToCPPType<ScalarType::ComplexFloat> { using type = c10::complex<float>; };
template <> struct CppTypeToScalarType<c10::complex<float>> { static constexpr ScalarType value = ScalarType::ComplexFloat; };
template <> struct ScalarTypeToCPPType<ScalarType::ComplexDouble> { using type = c10::complex<double>; };
template <> struct CppTypeToScalarType<c10::complex<double>> { static constexpr ScalarType value = ScalarType::ComplexDouble; };
template <> struct ScalarTypeToCPPType<ScalarType::Bool> { using type = bool; };
template <> struct CppTypeToScalarType<bool> { static constexpr ScalarType value = ScalarType::Bool; };
template <> struct ScalarTypeToCPPType<ScalarType::BFloat16> { using type = c10::BFloat16; };
template <> struct CppTypeToScalarType<c10::BFloat16> { static constexpr ScalarType value = ScalarType::BFloat16; };
template <> struct ScalarTypeToCPPType<ScalarType::Float8_e5m2> { using type = c10::Float8_e5m2; };
template <> struct CppTypeToScalarType<c10::Float8_e5m2> { static constexpr ScalarType value = ScalarType::Float8_e5m2; };
template <> struct ScalarTypeToCPPType<ScalarType::Float8_e4m3fn> { using type = c10::Float8_e4m3fn; };
template <> struct CppTypeToScalarType<c10::Float8_e4m3fn> { static constexpr ScalarType value = ScalarType::Float8_e4m3fn; };
template <> struct ScalarTypeToCPPType<ScalarType::Float8_e5m2fnuz> { using type = c10::Float8_e5m2fnuz; };
template <> struct CppTypeToScalarType<c10::Float8_e5m2fnuz> { static constexpr ScalarType value = ScalarType::Float8_e5m2fnuz; };
template <> struct ScalarTypeToCPPType<ScalarType::Float8_e4m3fnuz> { using type = c10::Float8_e4m3fnuz; };
template <> struct CppTypeToScalarType<c10::Float8_e4m3fnuz> { static constexpr ScalarType value = ScalarType::Float8_e4m3fnuz; };
template <> struct ScalarTypeToCPPType<ScalarType::UInt16> { using type = uint16_t; };
template <> struct CppTypeToScalarType<uint16_t> { static constexpr ScalarType value = ScalarType::UInt16; };
template <> struct ScalarTypeToCPPType<ScalarType::UInt32> { using type = uint32_t; };
template <> struct CppTypeToScalarType<uint32_t> { static constexpr ScalarType value = ScalarType::UInt32; };
template <> struct ScalarTypeToCPPType<ScalarType::UInt64> { using type = uint64_t; };
template <> struct CppTypeToScalarType<uint64_t> { static constexpr ScalarType value = ScalarType::UInt64; };
template <> struct ScalarTypeToCPPType<ScalarType::Float8_e8m0fnu> { using type = c10::Float8_e8m0fnu; };
template <> struct CppTypeToScalarType<c10::Float8_e8m0fnu> { static constexpr ScalarType value = ScalarType::Float8_e8m0fnu; };
template <> struct ScalarTypeToCPPType<ScalarType::Float4_e2m1fn_x2> { using type = c10::Float4_e2m1fn_x2; };
template <> struct CppTypeToScalarType<c10::Float4_e2m1fn_x2> { static constexpr ScalarType value = ScalarType::Float4_e2m1fn_x2; };
template <ScalarType S> using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<S>::type;
namespace impl {
template <ScalarType S> using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<S>::type;
template <ScalarType S> using ScalarTypeToCPPType = c10::ScalarTypeToCPPType<S>;
}

constexpr ScalarType kByte = ScalarType::Byte;
constexpr ScalarType kChar = ScalarType::Char;
constexpr ScalarType kShort = ScalarType::Short;
constexpr ScalarType kInt = ScalarType::Int;
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kHalf = ScalarType::Half;
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double;
constexpr ScalarType kComplexHalf = ScalarType::ComplexHalf;
constexpr ScalarType kComplexFloat = ScalarType::ComplexFloat;
constexpr ScalarType kComplexDouble = ScalarType::ComplexDouble;
constexpr ScalarType kBool = ScalarType::Bool;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
constexpr ScalarType kFloat8_e5m2 = ScalarType::Float8_e5m2;
constexpr ScalarType kFloat8_e4m3fn = ScalarType::Float8_e4m3fn;
constexpr ScalarType kFloat8_e5m2fnuz = ScalarType::Float8_e5m2fnuz;
constexpr ScalarType kFloat8_e4m3fnuz = ScalarType::Float8_e4m3fnuz;
constexpr ScalarType kFloat8_e8m0fnu = ScalarType::Float8_e8m0fnu, kFloat4_e2m1fn_x2 = ScalarType::Float4_e2m1fn_x2;
constexpr ScalarType kUInt16 = ScalarType::UInt16;
constexpr ScalarType kUInt32 = ScalarType::UInt32;
constexpr ScalarType kUInt64 = ScalarType::UInt64;
constexpr ScalarType kUInt8 = kByte, kInt8 = kChar, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong, kFloat16 = kHalf,
                     kFloat32 = kFloat, kFloat64 = kDouble;
enum class DeviceType : int8_t { CPU, CUDA, HIP, XPU, Meta, MPS, PrivateUse1, COMPILE_TIME_MAX_DEVICE_TYPES };
std::string DeviceTypeName(DeviceType, bool = false);
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA, kMeta = DeviceType::Meta;
enum class Layout : int8_t { Strided, Sparse };
constexpr Layout kStrided = Layout::Strided;
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
using DeviceIndex = int8_t;
struct Device {
  Device(DeviceType, DeviceIndex = -1);
  Device(const std::string &);
  Device(const char *);
  DeviceIndex index() const;
  bool has_index() const;
  DeviceType type() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool operator==(const Device &) const;
  bool operator!=(const Device &) const;
  std::string str() const;
  DeviceType ks_type;
  DeviceIndex ks_index;
};
std::ostream &operator<<(std::ostream &, const Device &);
std::ostream &operator<<(std::ostream &, ScalarType);
const char *toString(ScalarType);
size_t elementSize(ScalarType);
bool isFloatingType(ScalarType);
bool isIntegralType(ScalarType, bool = false);
template <typename T> struct ArrayRef {
  using value_type = T;
  using size_type = size_t;
  using iterator = const T *;
  using const_iterator = const T *;
  ArrayRef();
  ArrayRef(const T &);
  ArrayRef(const T *, size_t);
  ArrayRef(const std::vector<T> &);
  ArrayRef(const std::initializer_list<T> &);
  template <size_t N> ArrayRef(const std::array<T, N> &);
  const T *begin() const;
  const T *end() const;
  const T *data() const;
  size_t size() const;
  bool empty() const;
  const T &operator[](size_t) const;
  const T &front() const;
  const T &back() const;
  const T &at(size_t) const;
  ArrayRef slice(size_t, size_t) const;
  ArrayRef slice(size_t) const;
  std::vector<T> vec() const;
  bool equals(ArrayRef) const;
  const T *ks_data;
  size_t ks_size;
};
template <typename T> bool operator==(const ArrayRef<T> &, const ArrayRef<T> &);
template <typename T> bool operator!=(const ArrayRef<T> &, const ArrayRef<T> &);
template <typename T> std::ostream &operator<<(std::ostream &, const ArrayRef<T> &);
using IntArrayRef = ArrayRef<int64_t>;
using string_view = std::string_view;
template <typename T> using optional = std::optional<T>;
using nullopt_t = std::nullopt_t;
constexpr std::nullopt_t nullopt = std::nullopt;
template <typename T> using intrusive_ptr = std::shared_ptr<T>;
template <typename T, size_t N> using SmallVector = std::vector<T>;
struct Scalar {
  Scalar();
  template <typename T> Scalar(T);
  template <typename T> T to() const;
  double toDouble() const;
  float toFloat() const;
  int64_t toLong() const;
  int toInt() const;
  bool toBool() const;
  bool isFloatingPoint() const;
  double ks_real = 0;
  int64_t ks_integer = 0;
  bool ks_is_real = false;
};
struct Error : std::exception {
  Error(std::string);
  const char *what() const noexcept override;
  std::string ks_message;
};
struct Storage { void *data() const; size_t nbytes() const; };
struct DataPtr { void *get() const; };
struct Allocator { DataPtr allocate(size_t) const; };
struct Stream { int64_t id() const; };
struct DeviceGuard { DeviceGuard(Device); };
struct InferenceMode { InferenceMode(bool = true); };
struct SymInt { SymInt(int64_t); operator int64_t() const; };
using SymIntArrayRef = ArrayRef<SymInt>;
struct TypeMeta { bool operator==(ScalarType) const; operator ScalarType() const; size_t itemsize() const; ScalarType ks_type = kFloat; };
template <typename... Parts> std::string str(const Parts &...);
namespace cuda {
struct CUDAStream {
  cudaStream_t stream() const;
  operator cudaStream_t() const;
  void synchronize() const;
  DeviceIndex device_index() const;
  int64_t id() const;
};
CUDAStream getCurrentCUDAStream(DeviceIndex = -1);
CUDAStream getCurrentHIPStream(DeviceIndex = -1);
CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1);
CUDAStream getDefaultCUDAStream(DeviceIndex = -1);
CUDAStream getStreamFromExternal(cudaStream_t, DeviceIndex);
void setCurrentCUDAStream(CUDAStream);
DeviceIndex current_device();
DeviceIndex device_count();
void set_device(DeviceIndex);
void device_synchronize();
struct CUDAGuard { CUDAGuard(Device); CUDAGuard(DeviceIndex); void set_index(DeviceIndex); };
struct OptionalCUDAGuard { OptionalCUDAGuard(); OptionalCUDAGuard(std::optional<Device>); OptionalCUDAGuard(Device); OptionalCUDAGuard(DeviceIndex); };
struct CUDAStreamGuard { CUDAStreamGuard(CUDAStream); CUDAStreamGuard(Stream); };
namespace CUDACachingAllocator { Allocator *get(); void *raw_alloc(size_t); void raw_delete(void *); void emptyCache(); }
}  // namespace cuda
}  // namespace c10

// what a tensor is where launchers are not only parsed, but called: see kernelset/torch_calls
namespace kernelset { struct TensorState; }

namespace at {
using namespace c10;
class Tensor;
using TensorList = ArrayRef<Tensor>;
struct TensorOptions {
  TensorOptions();
  TensorOptions(ScalarType);
  TensorOptions(Device);
  TensorOptions(DeviceType);
  TensorOptions dtype(ScalarType) const;
  TensorOptions dtype(TypeMeta) const;
  template <typename T> TensorOptions dtype() const;
  TensorOptions device(Device) const;
  TensorOptions device(DeviceType, DeviceIndex = -1) const;
  Device device() const;
  TypeMeta dtype() const;
  TensorOptions layout(Layout) const;
  TensorOptions requires_grad(bool) const;
  TensorOptions memory_format(MemoryFormat) const;
  TensorOptions pinned_memory(bool) const;
  bool is_cuda() const;
  ScalarType ks_type = kFloat;
  DeviceType ks_device = kCPU;
};
TensorOptions dtype(ScalarType);
TensorOptions device(Device);
TensorOptions requires_grad(bool = true);
struct DeprecatedTypeProperties { ScalarType scalarType() const; bool is_cuda() const; operator ScalarType() const; operator TensorOptions() const; ScalarType ks_type = kFloat; bool ks_is_cuda = true; };
struct Generator { template <typename T> T *get() const; bool defined() const; std::mutex &mutex(); void *unsafeGetGeneratorImpl() const; };
struct CUDAGeneratorImpl {
  std::mutex mutex_;
  PhiloxCudaState philox_cuda_state(uint64_t);
  std::pair<uint64_t, uint64_t> philox_engine_inputs(uint64_t);
};
template <typename T> T *get_generator_or_default(const std::optional<Generator> &, const Generator &);
template <typename T> T *check_generator(std::optional<Generator>);
struct TensorIndex { template <typename T> TensorIndex(T &&); };
class Tensor {
 public:
  Tensor();
  Tensor(const Tensor &);
  Tensor &operator=(const Tensor &);
  Tensor &operator=(const Scalar &);
  template <typename T> T *data_ptr() const;
  void *data_ptr() const;
  template <typename T> const T *const_data_ptr() const;
  const void *const_data_ptr() const;
  template <typename T> T *mutable_data_ptr() const;
  void *mutable_data_ptr() const;
  template <typename T> T *data() const;
  Tensor data() const;
  int64_t size(int64_t) const;
  int64_t stride(int64_t) const;
  IntArrayRef sizes() const;
  IntArrayRef strides() const;
  int64_t numel() const;
  int64_t dim() const;
  int64_t ndimension() const;
  int64_t nbytes() const;
  int64_t element_size() const;
  int64_t itemsize() const;
  int64_t storage_offset() const;
  Storage storage() const;
  ScalarType scalar_type() const;
  TypeMeta dtype() const;
  DeprecatedTypeProperties type() const;
  Device device() const;
  DeviceIndex get_device() const;
  Layout layout() const;
  TensorOptions options() const;
  MemoryFormat suggest_memory_format() const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const;
  bool is_non_overlapping_and_dense() const;
  bool is_same(const Tensor &) const;
  bool is_sparse() const;
  bool is_floating_point() const;
  bool is_complex() const;
  bool is_meta() const;
  bool defined() const;
  bool has_storage() const;
  bool requires_grad() const;
  bool equal(const Tensor &) const;
  std::string toString() const;
  template <typename T> T item() const;
  Scalar item() const;
  explicit operator bool() const;
  template <typename T, size_t N> TensorAccessor<T, N> accessor() const;
  template <typename T, size_t N, template <typename U> class P = DefaultPtrTraits> PackedTensorAccessor32<T, N, P> packed_accessor32() const;
  template <typename T, size_t N, template <typename U> class P = DefaultPtrTraits> PackedTensorAccessor64<T, N, P> packed_accessor64() const;
  template <typename T, size_t N, template <typename U> class P = DefaultPtrTraits, typename I = int64_t> GenericPackedTensorAccessor<T, N, P, I> packed_accessor() const;
  template <typename T, size_t N, template <typename U> class P = DefaultPtrTraits, typename I = int64_t> GenericPackedTensorAccessor<T, N, P, I> generic_packed_accessor() const;
  Tensor operator[](int64_t) const;
  Tensor operator[](const Tensor &) const;
  Tensor index(std::initializer_list<TensorIndex>) const;
  template <typename... A> Tensor index(A &&...) const;
  Tensor &index_put_(std::initializer_list<TensorIndex>, const Tensor &);
  Tensor &index_put_(std::initializer_list<TensorIndex>, const Scalar &);
  template <typename... A> Tensor &index_put_(A &&...);
  Tensor operator-() const;
  Tensor operator~() const;
  Tensor view(IntArrayRef) const;
  template <typename... A> Tensor view(IntArrayRef, A &&...) const;
  template <typename... A> Tensor view(A &&...) const;
  Tensor reshape(IntArrayRef) const;
  template <typename... A> Tensor reshape(IntArrayRef, A &&...) const;
  template <typename... A> Tensor reshape(A &&...) const;
  Tensor expand(IntArrayRef) const;
  template <typename... A> Tensor expand(IntArrayRef, A &&...) const;
  template <typename... A> Tensor expand(A &&...) const;
  Tensor permute(IntArrayRef) const;
  template <typename... A> Tensor permute(IntArrayRef, A &&...) const;
  template <typename... A> Tensor permute(A &&...) const;
  Tensor repeat(IntArrayRef) const;
  template <typename... A> Tensor repeat(IntArrayRef, A &&...) const;
  template <typename... A> Tensor repeat(A &&...) const;
  Tensor view_as(IntArrayRef) const;
  template <typename... A> Tensor view_as(IntArrayRef, A &&...) const;
  template <typename... A> Tensor view_as(A &&...) const;
  Tensor resize_(IntArrayRef) const;
  template <typename... A> Tensor resize_(IntArrayRef, A &&...) const;
  template <typename... A> Tensor resize_(A &&...) const;
  Tensor new_empty(IntArrayRef) const;
  template <typename... A> Tensor new_empty(IntArrayRef, A &&...) const;
  template <typename... A> Tensor new_empty(A &&...) const;
  Tensor new_zeros(IntArrayRef) const;
  template <typename... A> Tensor new_zeros(IntArrayRef, A &&...) const;
  template <typename... A> Tensor new_zeros(A &&...) const;
  Tensor new_ones(IntArrayRef) const;
  template <typename... A> Tensor new_ones(IntArrayRef, A &&...) const;
  template <typename... A> Tensor new_ones(A &&...) const;
  Tensor sum(IntArrayRef) const;
  template <typename... A> Tensor sum(IntArrayRef, A &&...) const;
  template <typename... A> Tensor sum(A &&...) const;
  Tensor mean(IntArrayRef) const;
  template <typename... A> Tensor mean(IntArrayRef, A &&...) const;
  template <typename... A> Tensor mean(A &&...) const;
  Tensor flip(IntArrayRef) const;
  template <typename... A> Tensor flip(IntArrayRef, A &&...) const;
  template <typename... A> Tensor flip(A &&...) const;
  Tensor as_strided(IntArrayRef) const;
  template <typename... A> Tensor as_strided(IntArrayRef, A &&...) const;
  template <typename... A> Tensor as_strided(A &&...) const;
  Tensor unflatten(IntArrayRef) const;
  template <typename... A> Tensor unflatten(IntArrayRef, A &&...) const;
  template <typename... A> Tensor unflatten(A &&...) const;
  Tensor new_full(IntArrayRef) const;
  template <typename... A> Tensor new_full(IntArrayRef, A &&...) const;
  template <typename... A> Tensor new_full(A &&...) const;
  Tensor movedim(IntArrayRef) const;
  template <typename... A> Tensor movedim(IntArrayRef, A &&...) const;
  template <typename... A> Tensor movedim(A &&...) const;
  Tensor roll(IntArrayRef) const;
  template <typename... A> Tensor roll(IntArrayRef, A &&...) const;
  template <typename... A> Tensor roll(A &&...) const;
  Tensor amax(IntArrayRef) const;
  template <typename... A> Tensor amax(IntArrayRef, A &&...) const;
  template <typename... A> Tensor amax(A &&...) const;
  Tensor amin(IntArrayRef) const;
  template <typename... A> Tensor amin(IntArrayRef, A &&...) const;
  template <typename... A> Tensor amin(A &&...) const;
  Tensor to(TensorOptions, bool = false, bool = false) const;
  template <typename... A> Tensor to(A &&...) const;
  template <typename... A> Tensor contiguous(A &&...) const;
  template <typename... A> Tensor clone(A &&...) const;
  template <typename... A> Tensor detach(A &&...) const;
  template <typename... A> Tensor cpu(A &&...) const;
  template <typename... A> Tensor cuda(A &&...) const;
  template <typename... A> Tensor squeeze(A &&...) const;
  template <typename... A> Tensor unsqueeze(A &&...) const;
  template <typename... A> Tensor squeeze_(A &&...) const;
  template <typename... A> Tensor unsqueeze_(A &&...) const;
  template <typename... A> Tensor transpose(A &&...) const;
  template <typename... A> Tensor t(A &&...) const;
  template <typename... A> Tensor slice(A &&...) const;
  template <typename... A> Tensor select(A &&...) const;
  template <typename... A> Tensor narrow(A &&...) const;
  template <typename... A> Tensor index_select(A &&...) const;
  template <typename... A> Tensor index_add_(A &&...) const;
  template <typename... A> Tensor index_copy_(A &&...) const;
  template <typename... A> Tensor scatter_(A &&...) const;
  template <typename... A> Tensor scatter_add_(A &&...) const;
  template <typename... A> Tensor gather(A &&...) const;
  template <typename... A> Tensor masked_select(A &&...) const;
  template <typename... A> Tensor masked_fill(A &&...) const;
  template <typename... A> Tensor masked_fill_(A &&...) const;
  template <typename... A> Tensor fill_(A &&...) const;
  template <typename... A> Tensor zero_(A &&...) const;
  template <typename... A> Tensor copy_(A &&...) const;
  template <typename... A> Tensor add(A &&...) const;
  template <typename... A> Tensor add_(A &&...) const;
  template <typename... A> Tensor sub(A &&...) const;
  template <typename... A> Tensor sub_(A &&...) const;
  template <typename... A> Tensor mul(A &&...) const;
  template <typename... A> Tensor mul_(A &&...) const;
  template <typename... A> Tensor div(A &&...) const;
  template <typename... A> Tensor div_(A &&...) const;
  template <typename... A> Tensor pow(A &&...) const;
  template <typename... A> Tensor sqrt(A &&...) const;
  template <typename... A> Tensor exp(A &&...) const;
  template <typename... A> Tensor log(A &&...) const;
  template <typename... A> Tensor abs(A &&...) const;
  template <typename... A> Tensor neg(A &&...) const;
  template <typename... A> Tensor neg_(A &&...) const;
  Tensor max() const;
  Tensor max(const Tensor &) const;
  std::tuple<Tensor, Tensor> max(int64_t, bool = false) const;
  Tensor min() const;
  Tensor min(const Tensor &) const;
  std::tuple<Tensor, Tensor> min(int64_t, bool = false) const;
  template <typename... A> Tensor argmax(A &&...) const;
  template <typename... A> Tensor argmin(A &&...) const;
  template <typename... A> Tensor cumsum(A &&...) const;
  template <typename... A> Tensor cumprod(A &&...) const;
  template <typename... A> std::tuple<Tensor, Tensor> sort(A &&...) const;
  template <typename... A> Tensor argsort(A &&...) const;
  template <typename... A> std::tuple<Tensor, Tensor> topk(A &&...) const;
  template <typename... A> Tensor nonzero(A &&...) const;
  template <typename... A> std::tuple<Tensor, Tensor> unique(A &&...) const;
  template <typename... A> Tensor flatten(A &&...) const;
  template <typename... A> Tensor expand_as(A &&...) const;
  template <typename... A> Tensor type_as(A &&...) const;
  template <typename... A> Tensor eq(A &&...) const;
  template <typename... A> Tensor ne(A &&...) const;
  template <typename... A> Tensor lt(A &&...) const;
  template <typename... A> Tensor gt(A &&...) const;
  template <typename... A> Tensor le(A &&...) const;
  template <typename... A> Tensor ge(A &&...) const;
  template <typename... A> Tensor bitwise_and(A &&...) const;
  template <typename... A> Tensor bitwise_not(A &&...) const;
  template <typename... A> Tensor logical_not(A &&...) const;
  template <typename... A> Tensor any(A &&...) const;
  template <typename... A> Tensor all(A &&...) const;
  template <typename... A> Tensor matmul(A &&...) const;
  template <typename... A> Tensor mm(A &&...) const;
  template <typename... A> Tensor bmm(A &&...) const;
  template <typename... A> Tensor addmm(A &&...) const;
  template <typename... A> Tensor addmm_(A &&...) const;
  template <typename... A> Tensor baddbmm_(A &&...) const;
  template <typename... A> Tensor dot(A &&...) const;
  template <typename... A> Tensor norm(A &&...) const;
  template <typename... A> Tensor clamp(A &&...) const;
  template <typename... A> Tensor clamp_(A &&...) const;
  template <typename... A> Tensor clamp_min(A &&...) const;
  template <typename... A> Tensor floor(A &&...) const;
  template <typename... A> Tensor ceil(A &&...) const;
  template <typename... A> Tensor round(A &&...) const;
  template <typename... A> Tensor sigmoid(A &&...) const;
  template <typename... A> Tensor relu(A &&...) const;
  template <typename... A> Tensor softmax(A &&...) const;
  template <typename... A> Tensor tanh(A &&...) const;
  template <typename... A> Tensor where(A &&...) const;
  template <typename... A> Tensor prod(A &&...) const;
  template <typename... A> Tensor std(A &&...) const;
  template <typename... A> Tensor var(A &&...) const;
  template <typename... A> Tensor diff(A &&...) const;
  template <typename... A> Tensor chunk_(A &&...) const;
  template <typename... A> Tensor split_with_sizes_(A &&...) const;
  template <typename... A> Tensor view_dtype(A &&...) const;
  template <typename... A> Tensor toType(A &&...) const;
  template <typename... A> Tensor type_(A &&...) const;
  template <typename... A> Tensor set_requires_grad(A &&...) const;
  template <typename... A> Tensor set_(A &&...) const;
  template <typename... A> Tensor resize_as_(A &&...) const;
  template <typename... A> Tensor reshape_as(A &&...) const;
  template <typename... A> Tensor half(A &&...) const;
  template <typename... A> Tensor float_(A &&...) const;
  template <typename... A> Tensor to_sparse(A &&...) const;
  template <typename... A> Tensor indices(A &&...) const;
  template <typename... A> Tensor values(A &&...) const;
  template <typename... A> Tensor coalesce(A &&...) const;
  template <typename... A> Tensor pin_memory(A &&...) const;
  template <typename... A> Tensor record_stream(A &&...) const;
  template <typename... A> Tensor retain_grad(A &&...) const;
  template <typename... A> Tensor grad(A &&...) const;
  template <typename... A> Tensor backward(A &&...) const;
  template <typename... A> Tensor triu(A &&...) const;
  template <typename... A> Tensor tril(A &&...) const;
  template <typename... A> Tensor diagonal(A &&...) const;
  template <typename... A> Tensor diag(A &&...) const;
  template <typename... A> Tensor repeat_interleave(A &&...) const;
  template <typename... A> Tensor bincount(A &&...) const;
  template <typename... A> Tensor floor_divide(A &&...) const;
  template <typename... A> Tensor remainder(A &&...) const;
  template <typename... A> Tensor fmod(A &&...) const;
  template <typename... A> Tensor logical_and(A &&...) const;
  template <typename... A> Tensor logical_or(A &&...) const;
  template <typename... A> Tensor isnan(A &&...) const;
  template <typename... A> Tensor isinf(A &&...) const;
  template <typename... A> Tensor reciprocal(A &&...) const;
  template <typename... A> Tensor rsqrt(A &&...) const;
  template <typename... A> Tensor square(A &&...) const;
  template <typename... A> Tensor zero(A &&...) const;
  template <typename... A> Tensor new_tensor(A &&...) const;
  template <typename... A> Tensor unbind_(A &&...) const;
  template <typename... A> Tensor swapaxes(A &&...) const;
  template <typename... A> Tensor contiguous_(A &&...) const;
  template <typename... A> Tensor mutable_grad(A &&...) const;
  template <typename... A> Tensor is_pinned(A &&...) const;
  template <typename... A> Tensor addcmul_(A &&...) const;
  template <typename... A> Tensor addcdiv_(A &&...) const;
  template <typename... A> Tensor lerp_(A &&...) const;
  template <typename... A> Tensor sin(A &&...) const;
  template <typename... A> Tensor cos(A &&...) const;
  template <typename... A> Tensor erf(A &&...) const;
  template <typename... A> Tensor random_(A &&...) const;
  template <typename... A> Tensor uniform_(A &&...) const;
  template <typename... A> Tensor normal_(A &&...) const;
  template <typename... A> Tensor bernoulli_(A &&...) const;
  template <typename... A> Tensor bernoulli(A &&...) const;
  template <typename... A> Tensor true_divide(A &&...) const;
  template <typename... A> Tensor true_divide_(A &&...) const;
  template <typename... A> Tensor log2(A &&...) const;
  template <typename... A> Tensor log1p(A &&...) const;
  template <typename... A> Tensor sum_to_size(A &&...) const;
  template <typename... A> Tensor addmv_(A &&...) const;
  template <typename... A> Tensor maximum(A &&...) const;
  template <typename... A> Tensor minimum(A &&...) const;
  template <typename... A> Tensor unfold(A &&...) const;
  template <typename... A> Tensor t_(A &&...) const;
  template <typename... A> Tensor numpy_T(A &&...) const;
  template <typename... A> Tensor index_fill_(A &&...) const;
  template <typename... A> Tensor take(A &&...) const;
  template <typename... A> Tensor put_(A &&...) const;
  template <typename... A> Tensor scatter(A &&...) const;
  template <typename... A> Tensor pad(A &&...) const;
  template <typename... A> Tensor alias(A &&...) const;
  template <typename... A> Tensor variable_data(A &&...) const;
  template <typename... A> Tensor conj_(A &&...) const;
  template <typename... A> std::vector<Tensor> split(A &&...) const;
  template <typename... A> std::vector<Tensor> chunk(A &&...) const;
  template <typename... A> std::vector<Tensor> unbind(A &&...) const;
  template <typename... A> Tensor set_data(A &&...) const;
  std::shared_ptr<kernelset::TensorState> ks_state;
};
std::ostream &operator<<(std::ostream &, const Tensor &);
using Variable = Tensor;
using OptionalTensorRef = std::optional<Tensor>;
using OptionalIntArrayRef = std::optional<IntArrayRef>;
using ITensorListRef = ArrayRef<Tensor>;
Tensor operator+(const Tensor &, const Tensor &);
Tensor operator+(const Tensor &, const Scalar &);
Tensor operator+(const Scalar &, const Tensor &);
Tensor operator-(const Tensor &, const Tensor &);
Tensor operator-(const Tensor &, const Scalar &);
Tensor operator-(const Scalar &, const Tensor &);
Tensor operator*(const Tensor &, const Tensor &);
Tensor operator*(const Tensor &, const Scalar &);
Tensor operator*(const Scalar &, const Tensor &);
Tensor operator/(const Tensor &, const Tensor &);
Tensor operator/(const Tensor &, const Scalar &);
Tensor operator/(const Scalar &, const Tensor &);
Tensor operator%(const Tensor &, const Tensor &);
Tensor operator%(const Tensor &, const Scalar &);
Tensor operator%(const Scalar &, const Tensor &);
Tensor operator&(const Tensor &, const Tensor &);
Tensor operator&(const Tensor &, const Scalar &);
Tensor operator&(const Scalar &, const Tensor &);
Tensor operator|(const Tensor &, const Tensor &);
Tensor operator|(const Tensor &, const Scalar &);
Tensor operator|(const Scalar &, const Tensor &);
Tensor operator==(const Tensor &, const Tensor &);
Tensor operator==(const Tensor &, const Scalar &);
Tensor operator==(const Scalar &, const Tensor &);
Tensor operator!=(const Tensor &, const Tensor &);
Tensor operator!=(const Tensor &, const Scalar &);
Tensor operator!=(const Scalar &, const Tensor &);
Tensor operator<(const Tensor &, const Tensor &);
Tensor operator<(const Tensor &, const Scalar &);
Tensor operator<(const Scalar &, const Tensor &);
Tensor operator>(const Tensor &, const Tensor &);
Tensor operator>(const Tensor &, const Scalar &);
Tensor operator>(const Scalar &, const Tensor &);
Tensor operator<=(const Tensor &, const Tensor &);
Tensor operator<=(const Tensor &, const Scalar &);
Tensor operator<=(const Scalar &, const Tensor &);
Tensor operator>=(const Tensor &, const Tensor &);
Tensor operator>=(const Tensor &, const Scalar &);
Tensor operator>=(const Scalar &, const Tensor &);
Tensor &operator+=(const Tensor &, const Tensor &);
Tensor &operator+=(const Tensor &, const Scalar &);
Tensor &operator-=(const Tensor &, const Tensor &);
Tensor &operator-=(const Tensor &, const Scalar &);
Tensor &operator*=(const Tensor &, const Tensor &);
Tensor &operator*=(const Tensor &, const Scalar &);
Tensor &operator/=(const Tensor &, const Tensor &);
Tensor &operator/=(const Tensor &, const Scalar &);
Tensor zeros(IntArrayRef);
template <typename... A> Tensor zeros(IntArrayRef, A &&...);
template <typename... A> Tensor zeros(A &&...);
Tensor empty(IntArrayRef);
template <typename... A> Tensor empty(IntArrayRef, A &&...);
template <typename... A> Tensor empty(A &&...);
Tensor ones(IntArrayRef);
template <typename... A> Tensor ones(IntArrayRef, A &&...);
template <typename... A> Tensor ones(A &&...);
Tensor rand(IntArrayRef);
template <typename... A> Tensor rand(IntArrayRef, A &&...);
template <typename... A> Tensor rand(A &&...);
Tensor randn(IntArrayRef);
template <typename... A> Tensor randn(IntArrayRef, A &&...);
template <typename... A> Tensor randn(A &&...);
Tensor randint(IntArrayRef);
template <typename... A> Tensor randint(IntArrayRef, A &&...);
template <typename... A> Tensor randint(A &&...);
Tensor full(IntArrayRef);
template <typename... A> Tensor full(IntArrayRef, A &&...);
template <typename... A> Tensor full(A &&...);
Tensor empty_strided(IntArrayRef);
template <typename... A> Tensor empty_strided(IntArrayRef, A &&...);
template <typename... A> Tensor empty_strided(A &&...);
Tensor sum(IntArrayRef);
template <typename... A> Tensor sum(IntArrayRef, A &&...);
template <typename... A> Tensor sum(A &&...);
Tensor mean(IntArrayRef);
template <typename... A> Tensor mean(IntArrayRef, A &&...);
template <typename... A> Tensor mean(A &&...);
Tensor from_blob(IntArrayRef);
template <typename... A> Tensor from_blob(IntArrayRef, A &&...);
template <typename... A> Tensor from_blob(A &&...);
Tensor tensor_ks(IntArrayRef);
template <typename... A> Tensor tensor_ks(IntArrayRef, A &&...);
template <typename... A> Tensor tensor_ks(A &&...);
Tensor permute(IntArrayRef);
template <typename... A> Tensor permute(IntArrayRef, A &&...);
template <typename... A> Tensor permute(A &&...);
Tensor from_blob(void *, IntArrayRef);
template <typename... A> Tensor from_blob(void *, IntArrayRef, A &&...);
Tensor full(IntArrayRef, Scalar, TensorOptions = {});
Tensor empty_strided(IntArrayRef, IntArrayRef, TensorOptions = {});
Tensor tensor(std::initializer_list<int64_t>, TensorOptions = {});
Tensor tensor(std::initializer_list<double>, TensorOptions = {});
template <typename... A> Tensor tensor(A &&...);
template <typename... A> Tensor zeros_like(A &&...);
template <typename... A> Tensor empty_like(A &&...);
template <typename... A> Tensor ones_like(A &&...);
template <typename... A> Tensor full_like(A &&...);
template <typename... A> Tensor rand_like(A &&...);
template <typename... A> Tensor randn_like(A &&...);
template <typename... A> Tensor arange(A &&...);
template <typename... A> Tensor linspace(A &&...);
template <typename... A> Tensor eye(A &&...);
template <typename... A> Tensor matmul(A &&...);
template <typename... A> Tensor mm(A &&...);
template <typename... A> Tensor bmm(A &&...);
template <typename... A> Tensor addmm_out(A &&...);
template <typename... A> Tensor matmul_out(A &&...);
template <typename... A> Tensor bmm_out(A &&...);
template <typename... A> Tensor mm_out(A &&...);
template <typename... A> Tensor addmm(A &&...);
template <typename... A> Tensor baddbmm(A &&...);
template <typename... A> Tensor cat(A &&...);
template <typename... A> Tensor stack(A &&...);
template <typename... A> Tensor concat(A &&...);
template <typename... A> Tensor where(A &&...);
Tensor max(const Tensor &);
Tensor max(const Tensor &, const Tensor &);
std::tuple<Tensor, Tensor> max(const Tensor &, int64_t, bool = false);
Tensor min(const Tensor &);
Tensor min(const Tensor &, const Tensor &);
std::tuple<Tensor, Tensor> min(const Tensor &, int64_t, bool = false);
template <typename... A> Tensor argmax(A &&...);
template <typename... A> Tensor argsort(A &&...);
template <typename... A> std::tuple<Tensor, Tensor> sort(A &&...);
template <typename... A> std::tuple<Tensor, Tensor> topk(A &&...);
template <typename... A> std::tuple<Tensor, Tensor, Tensor> unique(A &&...);
template <typename... A> Tensor cumsum(A &&...);
template <typename... A> Tensor nonzero(A &&...);
template <typename... A> Tensor masked_select(A &&...);
template <typename... A> Tensor index_select(A &&...);
template <typename... A> Tensor gather(A &&...);
template <typename... A> Tensor scatter(A &&...);
template <typename... A> Tensor scatter_add(A &&...);
template <typename... A> Tensor abs(A &&...);
template <typename... A> Tensor exp(A &&...);
template <typename... A> Tensor log(A &&...);
template <typename... A> Tensor sqrt(A &&...);
template <typename... A> Tensor pow(A &&...);
template <typename... A> Tensor sigmoid(A &&...);
template <typename... A> Tensor softmax(A &&...);
template <typename... A> Tensor relu(A &&...);
template <typename... A> Tensor clamp(A &&...);
template <typename... A> Tensor clamp_min(A &&...);
template <typename... A> Tensor floor(A &&...);
template <typename... A> Tensor ceil(A &&...);
template <typename... A> Tensor round(A &&...);
template <typename... A> Tensor any(A &&...);
template <typename... A> Tensor all(A &&...);
template <typename... A> Tensor norm(A &&...);
template <typename... A> Tensor squeeze(A &&...);
template <typename... A> Tensor unsqueeze(A &&...);
template <typename... A> Tensor transpose(A &&...);
template <typename... A> Tensor reshape(A &&...);
template <typename... A> Tensor flip(A &&...);
template <typename... A> Tensor scalar_tensor(A &&...);
template <typename... A> Tensor add(A &&...);
template <typename... A> Tensor sub(A &&...);
template <typename... A> Tensor mul(A &&...);
template <typename... A> Tensor div(A &&...);
template <typename... A> Tensor dot(A &&...);
template <typename... A> Tensor einsum(A &&...);
template <typename... A> Tensor tensordot(A &&...);
template <typename... A> Tensor conv2d(A &&...);
template <typename... A> Tensor convolution(A &&...);
template <typename... A> Tensor batch_norm(A &&...);
template <typename... A> Tensor layer_norm(A &&...);
template <typename... A> Tensor embedding(A &&...);
template <typename... A> Tensor log_softmax(A &&...);
template <typename... A> Tensor cross(A &&...);
template <typename... A> std::tuple<Tensor, Tensor, Tensor> _unique(A &&...);
template <typename... A> std::tuple<Tensor, Tensor, Tensor> unique_consecutive(A &&...);
template <typename... A> std::tuple<Tensor, Tensor, Tensor> unique_dim(A &&...);
template <typename... A> Tensor _cast_Half(A &&...);
template <typename... A> Tensor bincount(A &&...);
template <typename... A> Tensor histc(A &&...);
template <typename... A> Tensor meshgrid(A &&...);
template <typename... A> Tensor isnan(A &&...);
template <typename... A> Tensor isinf(A &&...);
template <typename... A> Tensor logical_not(A &&...);
template <typename... A> Tensor logical_and(A &&...);
template <typename... A> Tensor _softmax_backward_data(A &&...);
template <typename... A> Tensor empty_cuda(A &&...);
template <typename... A> Tensor empty_symint(A &&...);
template <typename... A> Tensor native_layer_norm(A &&...);
template <typename... A> Tensor repeat_interleave(A &&...);
template <typename... A> Tensor searchsorted(A &&...);
template <typename... A> Tensor bucketize(A &&...);
template <typename... A> Tensor tril(A &&...);
template <typename... A> Tensor triu(A &&...);
template <typename... A> Tensor floor_divide(A &&...);
template <typename... A> Tensor sum_out(A &&...);
inline Tensor sum_out(const Tensor &, const Tensor &, IntArrayRef, bool = false);
template <typename... A> Tensor mul_out(A &&...);
template <typename... A> Tensor add_out(A &&...);
template <typename... A> Tensor copysign(A &&...);
template <typename... A> Tensor zeros_symint(A &&...);
template <typename... A> Tensor sym_size(A &&...);
template <typename... A> Tensor sym_numel(A &&...);
template <typename... A> Tensor infer_size(A &&...);
template <typename... A> Tensor detach(A &&...);
template <typename... A> Tensor dequantize(A &&...);
Tensor cat(TensorList, int64_t = 0);
inline Tensor reshape(const Tensor &, IntArrayRef);
Tensor stack(TensorList, int64_t = 0);
template <typename... A> std::vector<Tensor> split(A &&...);
template <typename... A> std::vector<Tensor> chunk(A &&...);
template <typename... A> int64_t maybe_wrap_dim(A &&...);
template <typename F> void parallel_for(int64_t begin, int64_t end, int64_t grain, const F &f);
bool hasCUDA();
std::optional<Device> device_of(const Tensor &);
int64_t get_num_threads();
struct Context { bool deterministicAlgorithms() const; bool allowTF32CuBLAS() const; bool hasCUDA() const; };
Context &globalContext();
Generator createCPUGenerator();
void alertNotDeterministic(const char *);
struct NoGradGuard {};
struct AutoGradMode { AutoGradMode(bool); };
struct AutoDispatchBelowADInplaceOrView {};
struct AutoNonVariableTypeMode { AutoNonVariableTypeMode(bool = true); };
struct TensorArg { TensorArg(const Tensor &, const char *, int); const Tensor *operator->() const; };
using CheckedFrom = const char *;
template <typename... A> void checkAllSameGPU(A &&...);
inline void checkAllSameGPU(CheckedFrom, std::initializer_list<TensorArg>);
template <typename... A> void checkAllSameType(A &&...);
inline void checkAllSameType(CheckedFrom, std::initializer_list<TensorArg>);
template <typename... A> void checkSameSize(A &&...);
template <typename... A> void checkDim(A &&...);
template <typename... A> void checkContiguous(A &&...);
namespace native {
template <typename... A> bool canUse32BitIndexMath(A &&...);
}
namespace indexing {
struct Slice { template <typename... A> Slice(A &&...); };
constexpr int Ellipsis = 0, None = 0;
}
namespace cuda {
using namespace c10::cuda;
cudaDeviceProp *getCurrentDeviceProperties();
cudaDeviceProp *getDeviceProperties(int64_t);
int warp_size();
bool is_available();
Allocator *getCUDADeviceAllocator();
namespace detail {
template <typename... A> bool canUse32BitIndexMath(A &&...);
const Generator &getDefaultCUDAGenerator(DeviceIndex = -1);
template <typename T, typename I> TensorInfo<T, I> getTensorInfo(const Tensor &);
}
}  // namespace cuda
}  // namespace at
namespace c10 { using at::Tensor; using at::TensorOptions; using at::TensorList; template <typename T> struct List { List(); T get(size_t) const; void push_back(T); size_t size() const; }; template <typename T> struct MaybeOwned { const T &operator*() const; const T *operator->() const; }; struct IValue { template <typename T> IValue(T); at::Tensor toTensor() const; }; }

namespace torch {
using namespace at;
using at::Tensor;
using c10::ScalarType;
using Dtype = c10::ScalarType;
namespace cuda { using namespace at::cuda; }
namespace indexing { using namespace at::indexing; }
namespace nn { namespace functional {} }
namespace autograd {
using Variable = at::Tensor;
using variable_list = std::vector<at::Tensor>;
using tensor_list = std::vector<at::Tensor>;
struct AutogradContext {
  template <typename... A> void save_for_backward(A &&...);
  void save_for_backward(variable_list);
  variable_list get_saved_variables() const;
  template <typename... A> void mark_non_differentiable(A &&...);
  void mark_non_differentiable(variable_list);
  template <typename... A> void mark_dirty(A &&...);
  std::unordered_map<std::string, c10::IValue> saved_data;
};
template <typename T> struct Function { template <typename... A> static variable_list apply(A &&...); };
struct GradMode { static bool is_enabled(); };
}  // namespace autograd
struct CppFunction { template <typename F> CppFunction(F &&); };
struct Library {
  template <typename... A> Library &def(A &&...);
  template <typename... A> Library &impl(A &&...);
  template <typename... A> Library &class_(A &&...);
  template <typename... A> Library &set_python_module(A &&...);
};
struct RegisterOperators { template <typename... A> RegisterOperators(A &&...); template <typename... A> RegisterOperators &op(A &&...); };
template <typename F> CppFunction dispatch(c10::DeviceType, F &&);
struct CustomClassHolder {};
struct arg { arg(const char *); template <typename T> arg &operator=(T &&); };
}  // namespace torch

// binding macros
namespace pybind11 {
struct object {};
struct arg {
  constexpr explicit arg(const char *) {}
  template <typename T> arg &operator=(T &&);
};
inline namespace literals { arg operator""_a(const char *, size_t); }
struct module_ {
  template <typename... A> module_ &def(const char *, A &&...);
  module_ def_submodule(const char *, const char * = nullptr);
  template <typename... A> void attr(A &&...);
};
using module = module_;
struct none {};
struct gil_scoped_release {};
template <typename...> struct call_guard {};
template <typename... A> struct init {};
template <typename T, typename... O> struct class_ {
  template <typename... A> class_(A &&...);
  template <typename... A> class_ &def(A &&...);
  template <typename... A> class_ &def_readwrite(A &&...);
  template <typename... A> class_ &def_readonly(A &&...);
};
template <typename T> struct enum_ {
  template <typename... A> enum_(A &&...);
  template <typename... A> enum_ &value(A &&...);
  enum_ &export_values();
};
}  // namespace pybind11
namespace py = pybind11;
namespace torch { using pybind11::module_; using pybind11::class_; using pybind11::init; }
#ifndef TORCH_EXTENSION_NAME
#define TORCH_EXTENSION_NAME extension
#endif
#define PYBIND11_MODULE(name, variable) static void ks_pybind11_module(::pybind11::module_ &variable)
#define KS_JOIN_(a, b) a##b
#define KS_JOIN(a, b) KS_JOIN_(a, b)
#define TORCH_LIBRARY(ns, m) static void KS_JOIN(ks_torch_library_, __COUNTER__)(torch::Library &m)
#define TORCH_LIBRARY_FRAGMENT(ns, m) static void KS_JOIN(ks_torch_library_, __COUNTER__)(torch::Library &m)
#define TORCH_LIBRARY_IMPL(ns, key, m) static void KS_JOIN(ks_torch_library_, __COUNTER__)(torch::Library &m)
#define TORCH_FN(f) f
#define TORCH_BOX(f) f
#define TORCH_SELECTIVE_NAME(n) n
#define REGISTER_DISPATCH(name, f)

// checks; where launchers are called, it counts how far a call comes
#if defined(__CUDA_ARCH__) && !defined(KS_BEGIN_CHECK)  // in functions of both sides
#define TORCH_CHECK(condition, ...) if (!(condition)) { __builtin_trap(); }
#else
#ifndef KS_BEGIN_CHECK
#define KS_BEGIN_CHECK() ((void)0)
#define KS_END_CHECK(...) (__VA_ARGS__)
#endif
#define TORCH_CHECK(condition, ...) if (KS_BEGIN_CHECK(), !KS_END_CHECK(condition)) { throw c10::Error(c10::str("" __VA_OPT__(, ) __VA_ARGS__)); }
#endif
#define TORCH_INTERNAL_ASSERT TORCH_CHECK
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY TORCH_CHECK
#define TORCH_CHECK_VALUE TORCH_CHECK
#define TORCH_CHECK_INDEX TORCH_CHECK
#define TORCH_CHECK_TYPE TORCH_CHECK
#define TORCH_CHECK_NOT_IMPLEMENTED TORCH_CHECK
#define AT_CHECK TORCH_CHECK
#define AT_ASSERT(condition) TORCH_CHECK(condition)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition __VA_OPT__(, ) __VA_ARGS__)
#define AT_ERROR(...) do { throw c10::Error(c10::str("" __VA_OPT__(, ) __VA_ARGS__)); } while (0)
#define TORCH_WARN(...) ((void)0)
#define TORCH_WARN_ONCE(...) ((void)0)
#define C10_THROW_ERROR(kind, message) throw c10::Error(message)
#define C10_CUDA_CHECK(e) do { cudaError_t ks_error = (e); (void)ks_error; } while (0)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define C10_CUDA_CHECK_WARN C10_CUDA_CHECK
#define AT_CUDA_CHECK C10_CUDA_CHECK
#define THCudaCheck C10_CUDA_CHECK
#define TORCH_CUDA_KERNEL_LAUNCH_CHECK C10_CUDA_KERNEL_LAUNCH_CHECK
// dispatch: the lambda once for each type
#define KS_TYPE_CASE(T, ...) if (ks_type == c10::CppTypeToScalarType<T>::value) { using scalar_t [[maybe_unused]] = T; return __VA_ARGS__(); }
#define KS_SCALAR_CASE(S, ...) if (ks_type == (S)) { using scalar_t [[maybe_unused]] = c10::ScalarTypeToCPPTypeT<(S)>; return __VA_ARGS__(); }
#define KS_HINT_CASE(S, HINT, ...) if (ks_type == (S)) { using HINT [[maybe_unused]] = c10::ScalarTypeToCPPTypeT<(S)>; return __VA_ARGS__(); }
namespace c10 {
inline ScalarType ks_scalar_type(ScalarType t) { return t; }
inline ScalarType ks_scalar_type(const at::DeprecatedTypeProperties &t) { return t.scalarType(); }
inline ScalarType ks_scalar_type(const TypeMeta &t) { return t; }
}
#define KS_DISPATCH(TYPE, ...) [&] { const auto ks_type = c10::ks_scalar_type(TYPE); __VA_ARGS__ throw c10::Error("unsupported type"); }()
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...) KS_DISPATCH(TYPE, __VA_ARGS__)
#define AT_DISPATCH_CASE(S, ...) KS_SCALAR_CASE(S, __VA_ARGS__)
#define AT_DISPATCH_CASE_TMPL(CASE, ...) CASE(__VA_ARGS__)
#define AT_PRIVATE_CASE_TYPE(NAME, S, T, ...) KS_TYPE_CASE(T, __VA_ARGS__)
#define AT_PRIVATE_CASE_TYPE_USING_HINT(S, HINT, ...) KS_HINT_CASE(S, HINT, __VA_ARGS__)
#define AT_PRIVATE_CHECK_SELECTIVE_BUILD(S)
// What is compiled to call a launcher takes few of the types that a dispatch names, since each costs as much as the first: those
// that calls are tried with first, or all that they have.
#if KERNELSET_CALLED_TYPES == 1
#define KS_EXTRA_CASE(S, ...) if (ks_type == (S)) ++::kernelset::refused_types;
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) KS_TYPE_CASE(float, __VA_ARGS__) KS_EXTRA_CASE(c10::ScalarType::Double)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...) KS_TYPE_CASE(c10::Half, __VA_ARGS__) KS_EXTRA_CASE(c10::ScalarType::BFloat16)
#define AT_DISPATCH_CASE_COMPLEX_TYPES(...)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)                                                    \
  KS_TYPE_CASE(int, __VA_ARGS__) KS_TYPE_CASE(int64_t, __VA_ARGS__)                            \
  KS_EXTRA_CASE(c10::ScalarType::Byte) KS_EXTRA_CASE(c10::ScalarType::Char) KS_EXTRA_CASE(c10::ScalarType::Short)
#define AT_DISPATCH_CASE_ALL_TYPES(...) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) if (c10::isIntegralType(ks_type)) ++::kernelset::refused_types;
#else
#define AT_DISPATCH_CASE_FLOATING_TYPES(...) KS_TYPE_CASE(double, __VA_ARGS__) KS_TYPE_CASE(float, __VA_ARGS__)
#define AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(...) KS_TYPE_CASE(c10::Half, __VA_ARGS__) KS_TYPE_CASE(c10::BFloat16, __VA_ARGS__)
#if KERNELSET_CALLED_TYPES
#define AT_DISPATCH_CASE_COMPLEX_TYPES(...)
#else
#define AT_DISPATCH_CASE_COMPLEX_TYPES(...) KS_TYPE_CASE(c10::complex<double>, __VA_ARGS__) KS_TYPE_CASE(c10::complex<float>, __VA_ARGS__)
#endif
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)                                                                         \
  KS_TYPE_CASE(uint8_t, __VA_ARGS__) KS_TYPE_CASE(int8_t, __VA_ARGS__) KS_TYPE_CASE(int, __VA_ARGS__)                \
  KS_TYPE_CASE(int64_t, __VA_ARGS__) KS_TYPE_CASE(int16_t, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)
#define KS_EXTRA_CASE(S, ...) KS_SCALAR_CASE(S, __VA_ARGS__)
#endif
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(c10::ScalarType::Half, __VA_ARGS__))
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_REDUCED_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_HALF(TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(c10::ScalarType::Half, __VA_ARGS__))
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...) KS_DISPATCH(TYPE, KS_HINT_CASE(at::ScalarType::Int, index_t, __VA_ARGS__) KS_HINT_CASE(at::ScalarType::Long, index_t, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND(S0, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND(S0, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND2(S0, S1, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND2(S0, S1, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND3(S0, S1, S2, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND3(S0, S1, S2, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND4(S0, S1, S2, S3, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND4(S0, S1, S2, S3, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND5(S0, S1, S2, S3, S4, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND5(S0, S1, S2, S3, S4, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND6(S0, S1, S2, S3, S4, S5, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND6(S0, S1, S2, S3, S4, S5, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_TYPES_AND7(S0, S1, S2, S3, S4, S5, S6, ...) AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__) KS_EXTRA_CASE(S6, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES_AND7(S0, S1, S2, S3, S4, S5, S6, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__) KS_EXTRA_CASE(S6, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_INTEGRAL_TYPES_AND(S0, ...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND(S0, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__))
#define AT_DISPATCH_CASE_INTEGRAL_TYPES_AND2(S0, S1, ...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND2(S0, S1, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__))
#define AT_DISPATCH_CASE_INTEGRAL_TYPES_AND3(S0, S1, S2, ...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND3(S0, S1, S2, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__))
#define AT_DISPATCH_CASE_INTEGRAL_TYPES_AND4(S0, S1, S2, S3, ...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND4(S0, S1, S2, S3, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__))
#define AT_DISPATCH_CASE_INTEGRAL_TYPES_AND5(S0, S1, S2, S3, S4, ...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND5(S0, S1, S2, S3, S4, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__))
#define AT_DISPATCH_CASE_INTEGRAL_TYPES_AND6(S0, S1, S2, S3, S4, S5, ...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND6(S0, S1, S2, S3, S4, S5, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__))
#define AT_DISPATCH_CASE_INTEGRAL_TYPES_AND7(S0, S1, S2, S3, S4, S5, S6, ...) AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__) KS_EXTRA_CASE(S6, __VA_ARGS__)
#define AT_DISPATCH_INTEGRAL_TYPES_AND7(S0, S1, S2, S3, S4, S5, S6, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__) KS_EXTRA_CASE(S6, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND(S0, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND(S0, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND2(S0, S1, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND2(S0, S1, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND3(S0, S1, S2, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND3(S0, S1, S2, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND4(S0, S1, S2, S3, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND4(S0, S1, S2, S3, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND5(S0, S1, S2, S3, S4, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND5(S0, S1, S2, S3, S4, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND6(S0, S1, S2, S3, S4, S5, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND6(S0, S1, S2, S3, S4, S5, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND7(S0, S1, S2, S3, S4, S5, S6, ...) AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__) KS_EXTRA_CASE(S6, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND7(S0, S1, S2, S3, S4, S5, S6, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__) KS_EXTRA_CASE(S6, __VA_ARGS__))
#define AT_DISPATCH_COMPLEX_TYPES(TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_COMPLEX_TYPES_AND(S0, ...) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES_AND(S0, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__))
#define AT_DISPATCH_CASE_COMPLEX_TYPES_AND2(S0, S1, ...) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES_AND2(S0, S1, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__))
#define AT_DISPATCH_CASE_COMPLEX_TYPES_AND3(S0, S1, S2, ...) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES_AND3(S0, S1, S2, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__))
#define AT_DISPATCH_CASE_COMPLEX_TYPES_AND4(S0, S1, S2, S3, ...) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES_AND4(S0, S1, S2, S3, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__))
#define AT_DISPATCH_CASE_COMPLEX_TYPES_AND5(S0, S1, S2, S3, S4, ...) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES_AND5(S0, S1, S2, S3, S4, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__))
#define AT_DISPATCH_CASE_COMPLEX_TYPES_AND6(S0, S1, S2, S3, S4, S5, ...) AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__)
#define AT_DISPATCH_COMPLEX_TYPES_AND6(S0, S1, S2, S3, S4, S5, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX(TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND(S0, ...) AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND(S0, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND2(S0, S1, ...) AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(S0, S1, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND3(S0, S1, S2, ...) AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND3(S0, S1, S2, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND4(S0, S1, S2, S3, ...) AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND4(S0, S1, S2, S3, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND5(S0, S1, S2, S3, S4, ...) AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND5(S0, S1, S2, S3, S4, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND6(S0, S1, S2, S3, S4, S5, ...) AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND6(S0, S1, S2, S3, S4, S5, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__))
#define AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX_AND7(S0, S1, S2, S3, S4, S5, S6, ...) AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__) KS_EXTRA_CASE(S6, __VA_ARGS__)
#define AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND7(S0, S1, S2, S3, S4, S5, S6, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_ALL_TYPES_AND_COMPLEX(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__) KS_EXTRA_CASE(S6, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES(TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND(S0, ...) AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND(S0, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND2(S0, S1, ...) AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND2(S0, S1, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND3(S0, S1, S2, ...) AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND3(S0, S1, S2, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND4(S0, S1, S2, S3, ...) AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND4(S0, S1, S2, S3, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND5(S0, S1, S2, S3, S4, ...) AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND5(S0, S1, S2, S3, S4, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND6(S0, S1, S2, S3, S4, S5, ...) AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND6(S0, S1, S2, S3, S4, S5, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__))
#define AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES_AND7(S0, S1, S2, S3, S4, S5, S6, ...) AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__) KS_EXTRA_CASE(S6, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_AND_COMPLEX_TYPES_AND7(S0, S1, S2, S3, S4, S5, S6, TYPE, NAME, ...) KS_DISPATCH(TYPE, AT_DISPATCH_CASE_FLOATING_AND_COMPLEX_TYPES(__VA_ARGS__) KS_EXTRA_CASE(S0, __VA_ARGS__) KS_EXTRA_CASE(S1, __VA_ARGS__) KS_EXTRA_CASE(S2, __VA_ARGS__) KS_EXTRA_CASE(S3, __VA_ARGS__) KS_EXTRA_CASE(S4, __VA_ARGS__) KS_EXTRA_CASE(S5, __VA_ARGS__) KS_EXTRA_CASE(S6, __VA_ARGS__))
