// PyTorch's stable ABI and header-only core: torch::stable::Tensor and its functions, torch::headeronly, the dispatch
// macros that take lists of types. Declared, never defined, like the rest of the host side.
// Rule: torch/csrc/stable, torch/headeronly and ATen/Dispatch_v2.h of PyTorch, by interface.
#pragma once
#include <kernelset/torch_host.h>

typedef int32_t AOTITorchError;
typedef uint64_t StableIValue;
typedef struct AtenTensorOpaque *AtenTensorHandle;
typedef struct StreamOpaque *StreamHandle;
typedef struct DeviceGuardOpaque *DeviceGuardHandle;
typedef struct StableListOpaque *StableListHandle;
// a function of the C interface takes what it is given, and says whether it went wrong
#define KS_AOTI(NAME) template <typename... A> AOTITorchError NAME(A &&...);
KS_AOTI(aoti_torch_get_current_cuda_stream) KS_AOTI(aoti_torch_get_current_stream) KS_AOTI(aoti_torch_call_dispatcher)
KS_AOTI(aoti_torch_create_device_guard) KS_AOTI(aoti_torch_delete_device_guard) KS_AOTI(aoti_torch_get_data_ptr)
KS_AOTI(aoti_torch_get_storage_size) KS_AOTI(aoti_torch_get_layout) KS_AOTI(aoti_torch_get_dtype) KS_AOTI(aoti_torch_get_dim)
KS_AOTI(aoti_torch_get_sizes) KS_AOTI(aoti_torch_get_strides) KS_AOTI(aoti_torch_get_numel) KS_AOTI(aoti_torch_get_size)
KS_AOTI(aoti_torch_get_stride) KS_AOTI(aoti_torch_get_device_type) KS_AOTI(aoti_torch_get_device_index)
KS_AOTI(aoti_torch_get_storage_offset) KS_AOTI(aoti_torch_delete_tensor_object) KS_AOTI(aoti_torch_new_tensor_handle)
KS_AOTI(aoti_torch_get_current_device_index) KS_AOTI(aoti_torch_empty_strided) KS_AOTI(aoti_torch_create_tensor_from_blob)
KS_AOTI(aoti_torch_is_contiguous) KS_AOTI(aoti_torch_is_defined) KS_AOTI(aoti_torch_clone) KS_AOTI(aoti_torch_zero_)
KS_AOTI(aoti_torch_stream_id) KS_AOTI(aoti_torch_aten_new_empty) KS_AOTI(aoti_torch_aten_narrow) KS_AOTI(torch_call_dispatcher)
KS_AOTI(torch_get_current_cuda_blas_handle) KS_AOTI(torch_get_cuda_stream_from_pool) KS_AOTI(torch_set_current_cuda_stream)
KS_AOTI(torch_new_list_reserve_size) KS_AOTI(torch_list_push_back) KS_AOTI(torch_list_get_item) KS_AOTI(torch_list_size)
KS_AOTI(torch_parallel_for) KS_AOTI(torch_get_mutable_data_ptr) KS_AOTI(torch_get_const_data_ptr)
#undef KS_AOTI
#define KS_AOTI(NAME) int32_t NAME();
KS_AOTI(aoti_torch_device_type_cpu) KS_AOTI(aoti_torch_device_type_cuda) KS_AOTI(aoti_torch_layout_strided)
KS_AOTI(aoti_torch_memory_format_contiguous_format) KS_AOTI(aoti_torch_memory_format_channels_last)
KS_AOTI(aoti_torch_memory_format_preserve_format) KS_AOTI(aoti_torch_dtype_float32) KS_AOTI(aoti_torch_dtype_float64)
KS_AOTI(aoti_torch_dtype_float16) KS_AOTI(aoti_torch_dtype_bfloat16) KS_AOTI(aoti_torch_dtype_int64) KS_AOTI(aoti_torch_dtype_int32)
KS_AOTI(aoti_torch_dtype_int8) KS_AOTI(aoti_torch_dtype_uint8) KS_AOTI(aoti_torch_dtype_bool)
#undef KS_AOTI

#define KS_TORCH_VERSION(MAJOR, MINOR) ((0ULL + (MAJOR)) << 56 | (0ULL + (MINOR)) << 48)
#define TORCH_VERSION_2_9_0 KS_TORCH_VERSION(2, 9)
#define TORCH_VERSION_2_10_0 KS_TORCH_VERSION(2, 10)
#define TORCH_VERSION_2_11_0 KS_TORCH_VERSION(2, 11)
#define TORCH_VERSION_2_12_0 KS_TORCH_VERSION(2, 12)
#ifndef TORCH_VERSION_MAJOR
#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 12
#define TORCH_VERSION_PATCH 0
#endif
#define TORCH_ABI_VERSION TORCH_VERSION_2_12_0
#ifdef TORCH_TARGET_VERSION
#define TORCH_FEATURE_VERSION TORCH_TARGET_VERSION
#else
#define TORCH_FEATURE_VERSION TORCH_ABI_VERSION
#endif
#define TORCH_ERROR_CODE_CHECK(call) ((void)(call))
#define STD_TORCH_CHECK TORCH_CHECK
#define STD_TORCH_WARN TORCH_WARN
#define STD_CUDA_CHECK C10_CUDA_CHECK
#define STD_CUDA_KERNEL_LAUNCH_CHECK C10_CUDA_KERNEL_LAUNCH_CHECK

namespace torch {
namespace headeronly {
using namespace c10;
template <typename T> using HeaderOnlyArrayRef = c10::ArrayRef<T>;
using IntHeaderOnlyArrayRef = c10::ArrayRef<int64_t>;
}  // namespace headeronly
namespace stable {
using c10::DeviceType;
using c10::Layout;
using c10::MemoryFormat;
using headeronly::IntHeaderOnlyArrayRef;
using headeronly::ScalarType;
using DeviceIndex = int32_t;
namespace accelerator {
using DeviceIndex = int32_t;
using StreamId = int64_t;
struct DeviceGuard {
  explicit DeviceGuard(DeviceIndex);
  void set_index(DeviceIndex);
};
struct Stream {
  explicit Stream(StreamHandle);
  StreamId id() const;
  void *nativeHandle() const;
};
Stream getCurrentStream(DeviceIndex);
DeviceIndex getCurrentDeviceIndex();
}  // namespace accelerator
struct Device {
  Device(DeviceType, DeviceIndex = -1);
  Device(const std::string &);
  Device(const char *);
  DeviceIndex index() const;
  bool has_index() const;
  void set_index(DeviceIndex);
  DeviceType type() const;
  bool is_cuda() const;
  bool is_cpu() const;
  std::string str() const;
  bool operator==(const Device &) const;
  bool operator!=(const Device &) const;
};
struct Tensor {
  Tensor();
  explicit Tensor(AtenTensorHandle);
  AtenTensorHandle get() const;
  void *data_ptr() const;
  void *mutable_data_ptr() const;
  const void *const_data_ptr() const;
  template <typename T> T *data_ptr() const;
  template <typename T> T *mutable_data_ptr() const;
  template <typename T> const T *const_data_ptr() const;
  template <typename T, size_t N> at::TensorAccessor<T, N> accessor() const;
  int64_t dim() const;
  int64_t numel() const;
  int64_t size(int64_t) const;
  int64_t stride(int64_t) const;
  IntHeaderOnlyArrayRef sizes() const;
  IntHeaderOnlyArrayRef strides() const;
  int64_t storage_offset() const;
  size_t element_size() const;
  bool is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const;
  bool is_cuda() const;
  bool is_cpu() const;
  bool defined() const;
  int8_t get_device() const;
  DeviceIndex get_device_index() const;
  Device device() const;
  Layout layout() const;
  ScalarType scalar_type() const;
  void set_requires_grad(bool) const;
};
struct Generator { bool defined() const; };
// an operator takes a tensor, or sizes in braces and options behind them
#define KS_STABLE(NAME)                                                         \
  template <typename... A> Tensor NAME(IntHeaderOnlyArrayRef, A &&...);         \
  template <typename... A> Tensor NAME(const Tensor &, A &&...);                \
  template <typename... A> Tensor NAME(const Tensor &, IntHeaderOnlyArrayRef, A &&...);
KS_STABLE(empty) KS_STABLE(empty_like) KS_STABLE(new_empty) KS_STABLE(new_zeros) KS_STABLE(full) KS_STABLE(fill_) KS_STABLE(zero_)
KS_STABLE(copy_) KS_STABLE(clone) KS_STABLE(contiguous) KS_STABLE(view) KS_STABLE(reshape) KS_STABLE(flatten) KS_STABLE(transpose)
KS_STABLE(narrow) KS_STABLE(select) KS_STABLE(squeeze) KS_STABLE(unsqueeze) KS_STABLE(pad) KS_STABLE(amax) KS_STABLE(sum)
KS_STABLE(matmul) KS_STABLE(subtract) KS_STABLE(to) KS_STABLE(zeros) KS_STABLE(ones) KS_STABLE(sum_out) KS_STABLE(expand)
#undef KS_STABLE
template <typename... A> Tensor from_blob(void *, IntHeaderOnlyArrayRef, A &&...);
template <typename... A> Tensor from_blob(void *, IntHeaderOnlyArrayRef, IntHeaderOnlyArrayRef, A &&...);
template <typename F> void parallel_for(int64_t, int64_t, int64_t, const F &);
uint32_t get_num_threads();
namespace detail {
template <typename T> StableIValue from(T &&);
template <typename T> T to(StableIValue);
}  // namespace detail
struct Library {
  template <typename... A> Library &def(A &&...);
  template <typename... A> Library &impl(A &&...);
};
}  // namespace stable
}  // namespace torch
#define STABLE_TORCH_LIBRARY(ns, m) static void KS_JOIN(ks_stable_library_, __COUNTER__)(torch::stable::Library &m)
#define STABLE_TORCH_LIBRARY_FRAGMENT STABLE_TORCH_LIBRARY
#define STABLE_TORCH_LIBRARY_IMPL(ns, key, m) STABLE_TORCH_LIBRARY(ns, m)

#define THO_DISPATCH_SWITCH(TYPE, NAME, ...) KS_DISPATCH(TYPE, __VA_ARGS__)
#define THO_DISPATCH_CASE(S, ...) KS_SCALAR_CASE(S, __VA_ARGS__)
#define THO_PRIVATE_CASE_TYPE_USING_HINT(S, HINT, ...) KS_HINT_CASE(S, HINT, __VA_ARGS__)

// dispatch by a list of types: the body once for each, kept together by AT_WRAP from one step to the next
#define AT_WRAP(...) __VA_ARGS__
#define AT_EXPAND(X) X
#define AT_FLOATING_TYPES c10::ScalarType::Double, c10::ScalarType::Float
#define AT_BAREBONES_UNSIGNED_TYPES c10::ScalarType::UInt16, c10::ScalarType::UInt32, c10::ScalarType::UInt64
#define AT_INTEGRAL_TYPES                                                                                       \
  c10::ScalarType::Byte, c10::ScalarType::Char, c10::ScalarType::Int, c10::ScalarType::Long, c10::ScalarType::Short
#define AT_INTEGRAL_TYPES_V2 AT_INTEGRAL_TYPES, AT_BAREBONES_UNSIGNED_TYPES
#define AT_COMPLEX_TYPES c10::ScalarType::ComplexDouble, c10::ScalarType::ComplexFloat
#define AT_FLOAT8_TYPES                                                                                         \
  c10::ScalarType::Float8_e5m2, c10::ScalarType::Float8_e5m2fnuz, c10::ScalarType::Float8_e4m3fn,               \
      c10::ScalarType::Float8_e4m3fnuz
#define AT_ALL_TYPES AT_INTEGRAL_TYPES, AT_FLOATING_TYPES
#define AT_ALL_TYPES_AND_COMPLEX AT_ALL_TYPES, AT_COMPLEX_TYPES
#define AT_DISPATCH_V2(TYPE, NAME, BODY, ...) KS_DISPATCH(TYPE, KS_V2_24(AT_WRAP(BODY), __VA_ARGS__))
#define THO_DISPATCH_V2 AT_DISPATCH_V2
#define KS_V2_1(BODY, S, ...) KS_SCALAR_CASE(S, BODY)
#define KS_V2_2(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_1(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_3(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_2(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_4(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_3(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_5(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_4(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_6(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_5(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_7(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_6(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_8(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_7(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_9(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_8(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_10(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_9(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_11(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_10(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_12(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_11(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_13(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_12(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_14(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_13(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_15(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_14(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_16(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_15(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_17(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_16(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_18(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_17(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_19(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_18(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_20(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_19(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_21(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_20(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_22(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_21(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_23(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_22(AT_WRAP(BODY), __VA_ARGS__))
#define KS_V2_24(BODY, S, ...) KS_SCALAR_CASE(S, BODY) __VA_OPT__(KS_V2_23(AT_WRAP(BODY), __VA_ARGS__))
