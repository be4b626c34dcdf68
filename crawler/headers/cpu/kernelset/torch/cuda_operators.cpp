// Operators on tensors of the CUDA device: each runs on the CPU, over the very same memory.
// Rule: PyTorch's dispatcher, "Registering a Dispatched Operator in C++", backend fallback; unlike ATen/native/CPUFallback.h
// it copies no argument.
#include <ATen/EmptyTensor.h>
#include <ATen/SparseTensorImpl.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <kernelset/torch/device_memory.h>

namespace kernelset {
namespace {

using at::Tensor;
using c10::IValue;
using c10::StorageImpl;
using c10::TensorImpl;

bool is_on_device(const Tensor& tensor) { return tensor.defined() && tensor.is_cuda(); }

void copy_shape(TensorImpl* to, const TensorImpl* from) {
  to->set_sizes_and_strides(from->sizes(), from->strides(), from->storage_offset());
}
Tensor make_tensor(const c10::Storage& storage, c10::DispatchKey key, const Tensor& like) {
  Tensor made = at::detail::make_tensor<TensorImpl>(c10::Storage(storage), c10::DispatchKeySet(key), like.dtype());
  copy_shape(made.unsafeGetTensorImpl(), like.unsafeGetTensorImpl());
  made._set_conj(like.is_conj());
  made._set_neg(like.is_neg());
  if (like.unsafeGetTensorImpl()->is_wrapped_number()) made.unsafeGetTensorImpl()->set_wrapped_number(true);
  return made;
}

template <class Visit>
void for_each_tensor(const IValue& value, const Visit& visit) {
  if (value.isTensor()) visit(value.toTensor());
  if (!value.isList()) return;
  for (const IValue& item : value.toListRef()) for_each_tensor(item, visit);
}
// lists of tensors, of optional ones, and whatever a script takes for such
template <class Map>
IValue map_list(const IValue& value, const Map& map) {
  const bool has_tensor = std::any_of(value.toListRef().begin(), value.toListRef().end(),
                                      [](const IValue& item) { return item.isTensor(); });
  if (!has_tensor) return value;
  c10::impl::GenericList list(value.toList().elementType());
  for (const IValue& item : value.toListRef()) list.push_back(map(item));
  return list;
}

// The arguments of one call as the CPU sees them.
class HostView {
 public:
  IValue to_host(const IValue& value) {
    if (value.isTensor()) return to_host(value.toTensor());
    if (value.isDevice()) return value.toDevice().is_cuda() ? IValue(c10::Device(c10::kCPU)) : value;
    return value.isList() ? map_list(value, [this](const IValue& item) { return to_host(item); }) : value;
  }

  IValue to_device(const IValue& value) {
    if (value.isTensor()) return to_device(value.toTensor());
    return value.isList() ? map_list(value, [this](const IValue& item) { return to_device(item); }) : value;
  }

  // what an argument became that the operator wrote to
  void bring_back(const IValue& argument) {
    for_each_tensor(argument, [this](const Tensor& tensor) { bring_back(tensor); });
  }

 private:
  // Let `to` have the numbers of the sparse tensor `from`, in whichever memory `map` finds the two tensors that it is made
  // of. By the tensors themselves: their functions are operators, too.
  template <class Map>
  static void copy_sparse(const Tensor& to, const Tensor& from, const Map& map) {
    const auto* source = static_cast<const at::SparseTensorImpl*>(from.unsafeGetTensorImpl());
    auto* target = static_cast<at::SparseTensorImpl*>(to.unsafeGetTensorImpl());
    target->raw_resize_(source->sparse_dim(), source->dense_dim(), source->sizes());
    target->set_indices_and_values_unsafe(map(source->indices()), map(source->values()));
    target->set_coalesced(source->coalesced());
  }
  static Tensor make_sparse(c10::DispatchKey key, const Tensor& like) {
    return at::detail::make_tensor<at::SparseTensorImpl>(c10::DispatchKeySet(key), like.dtype());
  }

  Tensor to_host(const Tensor& tensor) {
    if (!is_on_device(tensor)) return tensor;
    const auto known = hosts_.find(tensor.unsafeGetTensorImpl());
    if (known != hosts_.end()) return known->second;
    Tensor host;
    if (tensor.is_sparse()) {
      host = make_sparse(c10::DispatchKey::SparseCPU, tensor);
      copy_sparse(host, tensor, [this](const Tensor& part) { return to_host(part); });
    } else {
      host = make_tensor(host_storage(tensor.storage()), c10::DispatchKey::CPU, tensor);
    }
    hosts_.emplace(tensor.unsafeGetTensorImpl(), host);
    originals_.emplace(host.unsafeGetTensorImpl(), tensor);
    return host;
  }

  c10::Storage host_storage(const c10::Storage& storage) {
    StorageImpl* original = storage.unsafeGetStorageImpl();
    const auto known = host_storages_.find(original);
    if (known != host_storages_.end()) return known->second;
    // the alias keeps the memory
    c10::DataPtr place(storage.mutable_data(), new c10::Storage(storage), &drop_storage, c10::Device(c10::kCPU));
    c10::Storage host(c10::Storage::use_byte_size_t(), storage.nbytes(), std::move(place),
                      c10::GetAllocator(c10::kCPU), /*resizable=*/true);
    host_storages_.emplace(original, host);
    device_storages_.emplace(host.unsafeGetStorageImpl(), std::make_pair(storage, host.data()));
    return host;
  }
  static void drop_storage(void* storage) { delete static_cast<c10::Storage*>(storage); }

  // memory that the CPU gave out, as memory of the device
  static c10::Storage move_storage(const c10::Storage& host) {
    c10::DataPtr place = device_allocator().allocate(host.nbytes());
    if (host.nbytes()) memcpy(place.get(), host.data(), host.nbytes());
    return c10::Storage(c10::Storage::use_byte_size_t(), host.nbytes(), std::move(place), &device_allocator(),
                        /*resizable=*/true);
  }

  Tensor to_device(const Tensor& tensor) {
    const bool has_numbers = tensor.defined() && (tensor.is_sparse() || tensor.has_storage());
    if (!has_numbers || !tensor.device().is_cpu()) return tensor;
    const auto original = originals_.find(tensor.unsafeGetTensorImpl());
    if (original != originals_.end()) {
      bring_back(original->second);
      return original->second;
    }
    if (tensor.is_sparse()) {
      const Tensor made = make_sparse(c10::DispatchKey::SparseCUDA, tensor);
      copy_sparse(made, tensor, [this](const Tensor& part) { return to_device(part); });
      return made;
    }
    const auto known = device_storages_.find(tensor.storage().unsafeGetStorageImpl());
    if (known != device_storages_.end()) return make_tensor(known->second.first, c10::DispatchKey::CUDA, tensor);
    const auto moved = moved_storages_.find(tensor.storage().unsafeGetStorageImpl());
    const c10::Storage storage = moved != moved_storages_.end() ? moved->second : move_storage(tensor.storage());
    moved_storages_.emplace(tensor.storage().unsafeGetStorageImpl(), storage);
    const Tensor result = make_tensor(storage, c10::DispatchKey::CUDA, tensor);
    note_written(result);
    return result;
  }

  void bring_back(const Tensor& original) {
    const auto found = hosts_.find(original.unsafeGetTensorImpl());
    if (found == hosts_.end()) return;
    const Tensor host = found->second;
    if (original.is_sparse()) return copy_sparse(original, host, [this](const Tensor& part) { return to_device(part); });
    TensorImpl* impl = original.unsafeGetTensorImpl();
    const auto source = device_storages_.find(host.storage().unsafeGetStorageImpl());
    if (source == device_storages_.end()) {
      impl->set_storage_keep_dtype(move_storage(host.storage()));
    } else if (source->second.second != host.storage().data()) {
      // the CPU has given it more room: whoever shares the storage has that, too
      const c10::Storage grown = move_storage(host.storage());
      StorageImpl* shared = source->second.first.unsafeGetStorageImpl();
      shared->set_data_ptr_noswap(device_allocator().allocate(grown.nbytes()));
      memcpy(shared->mutable_data(), grown.data(), grown.nbytes());
      shared->set_nbytes(grown.nbytes());
    }
    copy_shape(impl, host.unsafeGetTensorImpl());
  }

  std::unordered_map<TensorImpl*, Tensor> hosts_;
  std::unordered_map<TensorImpl*, Tensor> originals_;
  std::unordered_map<StorageImpl*, c10::Storage> host_storages_;
  std::unordered_map<StorageImpl*, std::pair<c10::Storage, const void*>> device_storages_;
  std::unordered_map<StorageImpl*, c10::Storage> moved_storages_;
};

// Operators that may be handed tensors of the host beside those of the device.
bool takes_both(const std::string& name) {
  static const std::unordered_set<std::string> names = {
      "aten::copy_", "aten::_copy_from", "aten::index", "aten::index_put_", "aten::_index_put_impl_", "aten::set_"};
  return names.count(name);
}
void check_devices(const c10::OperatorHandle& op, c10::ArrayRef<IValue> arguments) {
  if (takes_both(op.operator_name().name)) return;
  bool on_device = false, on_host = false;
  const auto look = [&](const Tensor& tensor) {
    if (!tensor.defined()) return;
    on_device |= tensor.is_cuda();
    on_host |= tensor.device().is_cpu() && tensor.dim() > 0;
  };
  for (const IValue& argument : arguments) for_each_tensor(argument, look);
  TORCH_CHECK(!(on_device && on_host), "Expected all tensors to be on the same device, but found at least two devices, cuda:0",
              " and cpu! (", op.operator_name().name, ")");
}

template <c10::DispatchKey key>
void run_on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const auto& schema = op.schema();
  const size_t count = schema.arguments().size();
  const size_t begin = stack->size() - count;
  const std::vector<IValue> given(stack->begin() + static_cast<std::ptrdiff_t>(begin), stack->end());
  check_devices(op, given);
  HostView view;
  for (size_t at = 0; at < count; ++at) {
    const bool is_pinning = schema.arguments()[at].name() == "pin_memory";
    (*stack)[begin + at] = is_pinning ? IValue() : view.to_host(given[at]);
  }
  op.redispatchBoxed(c10::DispatchKeySet(key), stack);
  for (size_t at = 0; at < count; ++at) {
    const auto* alias = schema.arguments()[at].alias_info();
    if (!alias || !alias->isWrite()) continue;
    view.bring_back(given[at]);
    if (schema.name() == "aten::resize_" || schema.name() == "aten::resize_as_") continue;
    for_each_tensor(given[at], [](const Tensor& tensor) { if (is_on_device(tensor)) note_written(tensor); });
  }
  const size_t results = schema.returns().size();
  const size_t first = stack->size() - results;
  for (size_t at = 0; at < results; ++at) (*stack)[first + at] = view.to_device((*stack)[first + at]);
}

Tensor make_empty(c10::SymIntArrayRef size, std::optional<at::ScalarType> dtype, std::optional<at::Layout>,
                  std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  const at::ScalarType type = dtype.value_or(c10::typeMetaToScalarType(c10::get_default_dtype()));
  return at::detail::empty_generic(C10_AS_INTARRAYREF_SLOW(size), &device_allocator(), c10::DispatchKeySet(c10::DispatchKey::CUDA),
                                   type, format);
}
Tensor make_empty_strided(c10::SymIntArrayRef size, c10::SymIntArrayRef stride, std::optional<at::ScalarType> dtype,
                          std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>) {
  const at::ScalarType type = dtype.value_or(c10::typeMetaToScalarType(c10::get_default_dtype()));
  return at::detail::empty_strided_generic(C10_AS_INTARRAYREF_SLOW(size), C10_AS_INTARRAYREF_SLOW(stride), &device_allocator(),
                                           c10::DispatchKeySet(c10::DispatchKey::CUDA), type);
}
Tensor& set_storage(Tensor& self, at::Storage source, c10::SymInt offset, c10::SymIntArrayRef size, c10::SymIntArrayRef stride) {
  self.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(source));
  const auto sizes = C10_AS_INTARRAYREF_SLOW(size);
  const auto strides = C10_AS_INTARRAYREF_SLOW(stride);
  if (strides.empty() && !sizes.empty()) {
    self.unsafeGetTensorImpl()->set_storage_offset(offset.expect_int());
    self.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  } else {
    self.unsafeGetTensorImpl()->set_sizes_and_strides(sizes, strides, offset.expect_int());
  }
  return self;
}
Tensor& set_whole_storage(Tensor& self, at::Storage source) {
  const int64_t elements = static_cast<int64_t>(source.nbytes() / self.element_size());
  self.unsafeGetTensorImpl()->set_storage_keep_dtype(std::move(source));
  self.unsafeGetTensorImpl()->set_storage_offset(0);
  self.unsafeGetTensorImpl()->set_sizes_contiguous({elements});
  return self;
}
Tensor& set_to_nothing(Tensor& self) {
  return set_whole_storage(self, at::Storage(c10::Storage::use_byte_size_t(), 0, device_allocator().allocate(0), &device_allocator(), true));
}
void record_stream(Tensor&, at::Stream) {}

}  // namespace
}  // namespace kernelset

TORCH_LIBRARY_IMPL(_, CUDA, m) { m.fallback(torch::CppFunction::makeFromBoxedFunction<&kernelset::run_on_host<c10::DispatchKey::CPU>>()); }
TORCH_LIBRARY_IMPL(_, SparseCUDA, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&kernelset::run_on_host<c10::DispatchKey::SparseCPU>>());
}
TORCH_LIBRARY_IMPL(aten, SparseCUDA, m) {
  // of which PyTorch has forms for every layout that refuse sparse ones
  for (const char* name : {"sparse_dim", "dense_dim", "_dimI", "_dimV", "_nnz", "is_coalesced", "_coalesced_", "indices",
                           "values", "_indices", "_values", "clone", "narrow_copy"}) {
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&kernelset::run_on_host<c10::DispatchKey::SparseCPU>>());
  }
}
TORCH_LIBRARY_IMPL(aten, CUDA, m) {
  m.impl("empty.memory_format", &kernelset::make_empty);
  m.impl("empty_strided", &kernelset::make_empty_strided);
  m.impl("set_.source_Storage_storage_offset", &kernelset::set_storage);
  m.impl("set_.source_Storage", &kernelset::set_whole_storage);
  m.impl("set_", &kernelset::set_to_nothing);
  m.impl("record_stream", &kernelset::record_stream);
  // what PyTorch has for every device, and looks for the device's own code within
  m.impl("copy_", torch::CppFunction::makeFromBoxedFunction<&kernelset::run_on_host<c10::DispatchKey::CPU>>());
  m.impl("convolution_backward", torch::CppFunction::makeFromBoxedFunction<&kernelset::run_on_host<c10::DispatchKey::CPU>>());
  m.impl("_copy_from", torch::CppFunction::makeFromBoxedFunction<&kernelset::run_on_host<c10::DispatchKey::CPU>>());
}
