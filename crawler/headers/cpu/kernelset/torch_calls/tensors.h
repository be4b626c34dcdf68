// Tensors over the device's memory, and views of them. A tensor has no memory before someone asks for its data: many calls of
// a launcher end at a check of shapes.
// Rule: aten/src/ATen/core/TensorBase.h of PyTorch, by behaviour.
#pragma once

namespace kernelset {

inline bool are_tensors_on_host;  // those that a call is given
inline unsigned char unwritten_byte;  // what a host's memory holds that nobody wrote

struct TensorMemory {
  char *place = nullptr;
  explicit TensorMemory(size_t bytes, bool is_cuda) : on_device(is_cuda) {
    void *block = nullptr;
    if (is_cuda) cudaMalloc(&block, bytes ? bytes : 1);
    else block = malloc(bytes ? bytes : 1);
    if (!block) throw c10::Error("out of memory");
    if (!is_cuda) memset(block, unwritten_byte, bytes);
    place = static_cast<char *>(block);
  }
  TensorMemory(const TensorMemory &) = delete;
  ~TensorMemory() { on_device ? void(cudaFree(place)) : free(place); }
  bool on_device;
};
struct TensorStorage {
  size_t bytes = 0;
  bool is_cuda = true, is_read_by_host = false, is_read_by_check = false;
  std::function<void(char *)> fill;  // what it holds at first; nothing: what nobody wrote
  std::unique_ptr<TensorMemory> memory;
  char *place() {
    if (memory) return memory->place;
    memory = std::make_unique<TensorMemory>(bytes, is_cuda);
    if (fill) {
      std::vector<char> contents(bytes);
      fill(contents.data());
      write(0, contents.data(), bytes);
    }
    return memory->place;
  }
  void write(size_t at, const void *from, size_t count) {
    if (is_cuda) cudaMemcpy(place() + at, from, count, cudaMemcpyHostToDevice);
    else memcpy(place() + at, from, count);
  }
  // whether its contents may matter: a launcher may read them itself
  bool is_used() const { return is_read_by_host || (memory && is_touched(memory->place)); }
  void read(size_t at, void *to, size_t count) {
    is_read_by_host = true;
    is_read_by_check |= is_in_check;
    if (is_cuda) cudaMemcpy(to, place() + at, count, cudaMemcpyDeviceToHost);
    else memcpy(to, place() + at, count);
  }
};
struct TensorState {
  std::vector<int64_t> sizes, strides;
  int64_t offset = 0;
  c10::ScalarType type = c10::kFloat;
  std::shared_ptr<TensorStorage> storage;
  bool is_shape_checked = false;  // whether a check of the launcher asked for it
  unsigned asked_axes = 0;  // whose sizes the launcher asked for by themselves, and not in a check, a bit each
  unsigned measured_axes = 0;  // whose sizes it asked for in any way but all at once
  bool is_measured() const {
    const unsigned all = sizes.size() < 32 ? (1u << sizes.size()) - 1 : ~0u;
    return (measured_axes & all) == all;
  }
};

constexpr int64_t most_tensor_bytes = int64_t(1) << 23;
KS_CALLS int64_t count_elements(const std::vector<int64_t> &sizes) {
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (size < 0) throw c10::Error("negative size");
    if (__builtin_mul_overflow(count, size, &count)) throw c10::Error("too large");
  }
  return count;
}
KS_CALLS std::vector<int64_t> dense_strides(const std::vector<int64_t> &sizes) {
  std::vector<int64_t> strides(sizes.size(), 1);
  for (size_t at = sizes.size(); at-- > 1;) strides[at - 1] = strides[at] * std::max<int64_t>(sizes[at], 1);
  return strides;
}
KS_CALLS at::Tensor make_tensor(std::vector<int64_t> sizes, c10::ScalarType type, bool is_cuda,
                              std::function<void(char *)> fill = {}) {
  const int64_t count = count_elements(sizes);
  const int64_t width = static_cast<int64_t>(c10::elementSize(type));
  if (count > most_tensor_bytes / width) throw c10::Error("too large");
  at::Tensor tensor;
  tensor.ks_state = std::make_shared<TensorState>();
  tensor.ks_state->strides = dense_strides(sizes);
  tensor.ks_state->sizes = std::move(sizes);
  tensor.ks_state->type = type;
  tensor.ks_state->storage = std::make_shared<TensorStorage>();
  tensor.ks_state->storage->bytes = static_cast<size_t>(count * width);
  tensor.ks_state->storage->is_cuda = is_cuda;
  tensor.ks_state->storage->fill = std::move(fill);
  return tensor;
}
KS_CALLS TensorState &state_of(const at::Tensor &tensor) {
  ++questions_asked;
  if (!tensor.ks_state) throw c10::Error("an undefined tensor");
  return *tensor.ks_state;
}
KS_CALLS TensorState &ask_shape(const at::Tensor &tensor) {
  TensorState &own = state_of(tensor);
  own.is_shape_checked |= is_in_check;
  return own;
}
KS_CALLS at::Tensor make_view(const at::Tensor &tensor, std::vector<int64_t> sizes, std::vector<int64_t> strides, int64_t offset) {
  at::Tensor view;
  view.ks_state = std::make_shared<TensorState>(state_of(tensor));
  view.ks_state->sizes = std::move(sizes);
  view.ks_state->strides = std::move(strides);
  view.ks_state->offset = offset;
  return view;
}
KS_CALLS size_t wrap_dimension(int64_t dimension, size_t rank) {
  const int64_t from_start = dimension < 0 ? dimension + static_cast<int64_t>(rank) : dimension;
  if (from_start < 0 || from_start >= static_cast<int64_t>(rank)) throw c10::Error("dimension out of range");
  return static_cast<size_t>(from_start);
}
KS_CALLS bool is_dense(const TensorState &own) {
  int64_t dense_stride = 1;
  for (size_t at = own.sizes.size(); at-- > 0;) {
    if (own.sizes[at] != 1 && own.strides[at] != dense_stride) return false;
    dense_stride *= own.sizes[at];
  }
  return true;
}
// calls `visit` with the place of each element, counted in elements of the storage, in the order of a dense tensor
template <class Visit> void visit_elements(const TensorState &own, const Visit &visit) {
  const int64_t count = count_elements(own.sizes);
  std::vector<int64_t> index(own.sizes.size(), 0);
  for (int64_t done = 0; done < count; ++done) {
    int64_t place = own.offset;
    for (size_t at = 0; at < index.size(); ++at) place += index[at] * own.strides[at];
    visit(place);
    for (size_t at = index.size(); at-- > 0 && ++index[at] == own.sizes[at];) index[at] = 0;
  }
}
// its bytes, dense
KS_CALLS std::vector<char> read_bytes(const at::Tensor &tensor) {
  TensorState &own = state_of(tensor);
  const size_t width = c10::elementSize(own.type);
  std::vector<char> bytes(static_cast<size_t>(count_elements(own.sizes)) * width);
  if (bytes.empty()) return bytes;
  if (is_dense(own)) {
    own.storage->read(static_cast<size_t>(own.offset) * width, bytes.data(), bytes.size());
    return bytes;
  }
  size_t at = 0;
  visit_elements(own, [&](int64_t place) {
    own.storage->read(static_cast<size_t>(place) * width, bytes.data() + at, width);
    at += width;
  });
  return bytes;
}
KS_CALLS void write_bytes(const at::Tensor &tensor, const std::vector<char> &bytes) {
  TensorState &own = state_of(tensor);
  const size_t width = c10::elementSize(own.type);
  if (bytes.empty()) return;
  if (is_dense(own)) return own.storage->write(static_cast<size_t>(own.offset) * width, bytes.data(), bytes.size());
  size_t at = 0;
  visit_elements(own, [&](int64_t place) {
    own.storage->write(static_cast<size_t>(place) * width, bytes.data() + at, width);
    at += width;
  });
}
KS_CALLS std::vector<int64_t> list_sizes(c10::IntArrayRef sizes) { return {sizes.begin(), sizes.end()}; }
template <typename T> constexpr bool is_size_list = !std::is_arithmetic_v<T> && std::is_convertible_v<const T &, c10::IntArrayRef>;
// sizes written one by one, as in `x.view(2, -1)`, or as a vector
template <typename... A> std::vector<int64_t> list_sizes_given(const A &...sizes) {
  if constexpr ((is_size_list<A> || ...)) return list_sizes(sizes...);
  else if constexpr ((std::is_arithmetic_v<A> && ...)) return {static_cast<int64_t>(sizes)...};
  else throw c10::Error("no sizes");
}
KS_CALLS std::vector<int64_t> infer_sizes(std::vector<int64_t> sizes, int64_t count) {
  int64_t known_count = 1, unknown_dimension = -1;
  for (size_t at = 0; at < sizes.size(); ++at) {
    if (sizes[at] == -1 && unknown_dimension < 0) unknown_dimension = static_cast<int64_t>(at);
    else known_count *= sizes[at];
  }
  if (unknown_dimension >= 0) {
    if (known_count <= 0 || count % known_count) throw c10::Error("shape is invalid");
    sizes[static_cast<size_t>(unknown_dimension)] = count / known_count;
  }
  if (count_elements(sizes) != count) throw c10::Error("shape is invalid");
  return sizes;
}
KS_CALLS at::Tensor copy_dense(const at::Tensor &tensor) {
  const TensorState &own = state_of(tensor);
  const bool is_unwritten = !own.storage->memory && !own.storage->fill;
  at::Tensor copy = make_tensor(own.sizes, own.type, own.storage->is_cuda);
  if (!is_unwritten) write_bytes(copy, read_bytes(tensor));
  return copy;
}
KS_CALLS at::Tensor view_as_sizes(const at::Tensor &tensor, std::vector<int64_t> sizes) {
  const TensorState &own = state_of(tensor);
  sizes = infer_sizes(std::move(sizes), count_elements(own.sizes));
  if (!is_dense(own)) throw c10::Error("a view of what is not contiguous");
  std::vector<int64_t> strides = dense_strides(sizes);
  return make_view(tensor, std::move(sizes), std::move(strides), own.offset);
}
KS_CALLS at::Tensor expand_to(const at::Tensor &tensor, std::vector<int64_t> sizes) {
  const TensorState &own = state_of(tensor);
  if (sizes.size() < own.sizes.size()) throw c10::Error("cannot be expanded");
  const size_t added_count = sizes.size() - own.sizes.size();
  std::vector<int64_t> strides(sizes.size(), 0);
  for (size_t at = 0; at < own.sizes.size(); ++at) {
    int64_t &size = sizes[added_count + at];
    if (size == -1) size = own.sizes[at];
    if (own.sizes[at] == size) strides[added_count + at] = own.strides[at];
    else if (own.sizes[at] != 1) throw c10::Error("cannot be expanded");
  }
  return make_view(tensor, std::move(sizes), std::move(strides), own.offset);
}
KS_CALLS at::Tensor permute_by(const at::Tensor &tensor, const std::vector<int64_t> &order) {
  const TensorState &own = state_of(tensor);
  if (order.size() != own.sizes.size()) throw c10::Error("not a permutation");
  std::vector<int64_t> sizes, strides;
  for (const int64_t dimension : order) {
    const size_t at = wrap_dimension(dimension, own.sizes.size());
    sizes.push_back(own.sizes[at]);
    strides.push_back(own.strides[at]);
  }
  return make_view(tensor, std::move(sizes), std::move(strides), own.offset);
}
KS_CALLS at::Tensor slice_of(const at::Tensor &tensor, int64_t dimension, int64_t begin, int64_t end, int64_t step = 1) {
  const TensorState &own = state_of(tensor);
  const size_t at = wrap_dimension(dimension, own.sizes.size());
  const int64_t size = own.sizes[at];
  const auto limit = [&](int64_t place) { return std::min(std::max<int64_t>(place < 0 ? place + size : place, 0), size); };
  begin = limit(begin);
  end = std::max(begin, limit(end));
  std::vector<int64_t> sizes = own.sizes, strides = own.strides;
  sizes[at] = (end - begin + step - 1) / step;
  strides[at] *= step;
  return make_view(tensor, std::move(sizes), std::move(strides), own.offset + begin * own.strides[at]);
}
KS_CALLS at::Tensor select_of(const at::Tensor &tensor, int64_t dimension, int64_t index) {
  const TensorState &own = state_of(tensor);
  const size_t at = wrap_dimension(dimension, own.sizes.size());
  const int64_t place = index < 0 ? index + own.sizes[at] : index;
  if (place < 0 || place >= own.sizes[at]) throw c10::Error("index out of range");
  std::vector<int64_t> sizes = own.sizes, strides = own.strides;
  sizes.erase(sizes.begin() + static_cast<long>(at));
  strides.erase(strides.begin() + static_cast<long>(at));
  return make_view(tensor, std::move(sizes), std::move(strides), own.offset + place * own.strides[at]);
}
KS_CALLS at::Tensor unsqueeze_at(const at::Tensor &tensor, int64_t dimension) {
  const TensorState &own = state_of(tensor);
  const size_t at = wrap_dimension(dimension, own.sizes.size() + 1);
  std::vector<int64_t> sizes = own.sizes, strides = own.strides;
  const int64_t stride = at < sizes.size() ? sizes[at] * strides[at] : 1;
  sizes.insert(sizes.begin() + static_cast<long>(at), 1);
  strides.insert(strides.begin() + static_cast<long>(at), stride);
  return make_view(tensor, std::move(sizes), std::move(strides), own.offset);
}
KS_CALLS at::Tensor squeeze_sizes(const at::Tensor &tensor, int64_t only = INT64_MIN) {
  const TensorState &own = state_of(tensor);
  std::vector<int64_t> sizes, strides;
  for (size_t at = 0; at < own.sizes.size(); ++at) {
    const bool is_meant = only == INT64_MIN || wrap_dimension(only, own.sizes.size()) == at;
    if (own.sizes[at] == 1 && is_meant) continue;
    sizes.push_back(own.sizes[at]);
    strides.push_back(own.strides[at]);
  }
  return make_view(tensor, std::move(sizes), std::move(strides), own.offset);
}
template <typename T> T *data_of(const at::Tensor &tensor) {
  TensorState &own = state_of(tensor);
  const c10::ScalarType element_type = c10::CppTypeToScalarType<std::remove_cv_t<T>>::value;
  if (element_type != c10::ScalarType::Undefined && own.type != element_type) throw c10::Error("another type of elements");
  if (!count_elements(own.sizes)) return nullptr;
  return reinterpret_cast<T *>(own.storage->place() + static_cast<size_t>(own.offset) * c10::elementSize(own.type));
}
// what PyTorch's own kernels, and those written like them, take for a tensor
template <typename T, typename I> at::cuda::detail::TensorInfo<T, I> describe_tensor(const at::Tensor &tensor) {
  const TensorState &own = state_of(tensor);
  at::cuda::detail::TensorInfo<T, I> described = {};
  if (own.sizes.size() > std::size(described.sizes)) throw c10::Error("too many dimensions");
  described.data = data_of<T>(tensor);
  described.dims = static_cast<int>(own.sizes.size());
  for (size_t at = 0; at < own.sizes.size(); ++at) {
    described.sizes[at] = static_cast<I>(own.sizes[at]);
    described.strides[at] = static_cast<I>(own.strides[at]);
  }
  return described;
}
template <typename Packed, typename T, size_t N, typename I> Packed pack(const at::Tensor &tensor) {
  const TensorState &own = state_of(tensor);
  if (own.sizes.size() != N) throw c10::Error("another number of dimensions");
  I sizes[N ? N : 1], strides[N ? N : 1];
  for (size_t at = 0; at < N; ++at) sizes[at] = static_cast<I>(own.sizes[at]), strides[at] = static_cast<I>(own.strides[at]);
  return Packed(data_of<T>(tensor), sizes, strides);
}

}  // namespace kernelset

namespace at {

KS_CALLS Tensor::Tensor() {}
KS_CALLS Tensor::Tensor(const Tensor &other) : ks_state(other.ks_state) {}
KS_CALLS Tensor &Tensor::operator=(const Tensor &other) {
  ks_state = other.ks_state;
  return *this;
}
template <typename T> T *Tensor::data_ptr() const { return kernelset::data_of<T>(*this); }
KS_CALLS void *Tensor::data_ptr() const {
  auto &own = kernelset::state_of(*this);
  return own.storage->place() + static_cast<size_t>(own.offset) * elementSize(own.type);
}
template <typename T> const T *Tensor::const_data_ptr() const { return kernelset::data_of<const T>(*this); }
KS_CALLS const void *Tensor::const_data_ptr() const { return data_ptr(); }
template <typename T> T *Tensor::mutable_data_ptr() const { return kernelset::data_of<T>(*this); }
KS_CALLS void *Tensor::mutable_data_ptr() const { return data_ptr(); }
template <typename T> T *Tensor::data() const { return kernelset::data_of<T>(*this); }
KS_CALLS Tensor Tensor::data() const { return *this; }
KS_CALLS int64_t Tensor::size(int64_t dimension) const {
  auto &own = kernelset::ask_shape(*this);
  const size_t axis = kernelset::wrap_dimension(dimension, own.sizes.size());
  if (!kernelset::is_in_check && axis < 32) own.asked_axes |= 1u << axis;
  if (axis < 32) own.measured_axes |= 1u << axis;
  return own.sizes[axis];
}
KS_CALLS int64_t Tensor::stride(int64_t dimension) const {
  const auto &own = kernelset::state_of(*this);
  return own.strides[kernelset::wrap_dimension(dimension, own.sizes.size())];
}
KS_CALLS IntArrayRef Tensor::sizes() const { return IntArrayRef(kernelset::ask_shape(*this).sizes); }
KS_CALLS IntArrayRef Tensor::strides() const { return IntArrayRef(kernelset::state_of(*this).strides); }
KS_CALLS int64_t Tensor::numel() const {
  auto &own = kernelset::ask_shape(*this);
  own.measured_axes = ~0u;
  return kernelset::count_elements(own.sizes);
}
KS_CALLS int64_t Tensor::dim() const { return static_cast<int64_t>(kernelset::ask_shape(*this).sizes.size()); }
KS_CALLS int64_t Tensor::ndimension() const { return dim(); }
KS_CALLS int64_t Tensor::nbytes() const { return numel() * element_size(); }
KS_CALLS int64_t Tensor::element_size() const { return static_cast<int64_t>(elementSize(scalar_type())); }
KS_CALLS int64_t Tensor::itemsize() const { return element_size(); }
KS_CALLS int64_t Tensor::storage_offset() const { return kernelset::state_of(*this).offset; }
KS_CALLS ScalarType Tensor::scalar_type() const { return kernelset::state_of(*this).type; }
KS_CALLS TypeMeta Tensor::dtype() const { return TypeMeta{scalar_type()}; }
KS_CALLS DeprecatedTypeProperties Tensor::type() const { return DeprecatedTypeProperties{scalar_type(), is_cuda()}; }
KS_CALLS Device Tensor::device() const { return Device(is_cuda() ? kCUDA : kCPU, 0); }
KS_CALLS DeviceIndex Tensor::get_device() const { return is_cuda() ? 0 : -1; }
KS_CALLS Layout Tensor::layout() const { return kStrided; }
KS_CALLS TensorOptions Tensor::options() const { return TensorOptions(scalar_type()).device(is_cuda() ? kCUDA : kCPU); }
KS_CALLS MemoryFormat Tensor::suggest_memory_format() const { return MemoryFormat::Contiguous; }
KS_CALLS bool Tensor::is_cuda() const { return kernelset::state_of(*this).storage->is_cuda; }
KS_CALLS bool Tensor::is_cpu() const { return !is_cuda(); }
KS_CALLS bool Tensor::is_contiguous(MemoryFormat format) const {
  return format == MemoryFormat::Contiguous && kernelset::is_dense(kernelset::state_of(*this));
}
KS_CALLS bool Tensor::is_non_overlapping_and_dense() const { return is_contiguous(); }
KS_CALLS bool Tensor::is_same(const Tensor &other) const { return ks_state == other.ks_state; }
KS_CALLS bool Tensor::is_sparse() const { return false; }
KS_CALLS bool Tensor::is_floating_point() const { return isFloatingType(scalar_type()); }
KS_CALLS bool Tensor::is_complex() const { return false; }
KS_CALLS bool Tensor::is_meta() const { return false; }
KS_CALLS bool Tensor::defined() const { return ks_state != nullptr; }
KS_CALLS bool Tensor::has_storage() const { return defined(); }
KS_CALLS bool Tensor::requires_grad() const { return false; }
KS_CALLS std::string Tensor::toString() const { return {}; }
template <typename T, size_t N> TensorAccessor<T, N> Tensor::accessor() const {
  const auto &own = kernelset::state_of(*this);
  if (own.sizes.size() != N) throw Error("another number of dimensions");
  return TensorAccessor<T, N>(kernelset::data_of<T>(*this), own.sizes.data(), own.strides.data());
}
template <typename T, size_t N, template <typename U> class P> PackedTensorAccessor32<T, N, P> Tensor::packed_accessor32() const {
  return kernelset::pack<PackedTensorAccessor32<T, N, P>, T, N, int32_t>(*this);
}
template <typename T, size_t N, template <typename U> class P> PackedTensorAccessor64<T, N, P> Tensor::packed_accessor64() const {
  return kernelset::pack<PackedTensorAccessor64<T, N, P>, T, N, int64_t>(*this);
}
template <typename T, size_t N, template <typename U> class P, typename I>
GenericPackedTensorAccessor<T, N, P, I> Tensor::packed_accessor() const {
  return kernelset::pack<GenericPackedTensorAccessor<T, N, P, I>, T, N, I>(*this);
}
template <typename T, size_t N, template <typename U> class P, typename I>
GenericPackedTensorAccessor<T, N, P, I> Tensor::generic_packed_accessor() const {
  return kernelset::pack<GenericPackedTensorAccessor<T, N, P, I>, T, N, I>(*this);
}
KS_CALLS Tensor Tensor::operator[](int64_t index) const { return kernelset::select_of(*this, 0, index); }

KS_CALLS Tensor Tensor::view(IntArrayRef sizes) const { return kernelset::view_as_sizes(*this, kernelset::list_sizes(sizes)); }
KS_CALLS Tensor Tensor::reshape(IntArrayRef sizes) const { return contiguous().view(sizes); }
KS_CALLS Tensor Tensor::expand(IntArrayRef sizes) const { return kernelset::expand_to(*this, kernelset::list_sizes(sizes)); }
KS_CALLS Tensor Tensor::permute(IntArrayRef order) const { return kernelset::permute_by(*this, kernelset::list_sizes(order)); }
template <typename... A> Tensor Tensor::view(A &&...sizes) const {
  return kernelset::view_as_sizes(*this, kernelset::list_sizes_given(sizes...));
}
template <typename... A> Tensor Tensor::reshape(A &&...sizes) const {
  return kernelset::view_as_sizes(contiguous(), kernelset::list_sizes_given(sizes...));
}
template <typename... A> Tensor Tensor::expand(A &&...sizes) const {
  return kernelset::expand_to(*this, kernelset::list_sizes_given(sizes...));
}
template <typename... A> Tensor Tensor::permute(A &&...order) const {
  return kernelset::permute_by(*this, kernelset::list_sizes_given(order...));
}
template <typename... A> Tensor Tensor::view_as(A &&...other) const { return view((other.sizes(), ...)); }
template <typename... A> Tensor Tensor::reshape_as(A &&...other) const { return reshape((other.sizes(), ...)); }
template <typename... A> Tensor Tensor::expand_as(A &&...other) const { return expand((other.sizes(), ...)); }
template <typename... A> Tensor Tensor::contiguous(A &&...) const {
  return kernelset::is_dense(kernelset::state_of(*this)) ? *this : kernelset::copy_dense(*this);
}
template <typename... A> Tensor Tensor::clone(A &&...) const { return kernelset::copy_dense(*this); }
template <typename... A> Tensor Tensor::detach(A &&...) const { return *this; }
template <typename... A> Tensor Tensor::squeeze(A &&...at) const { return kernelset::squeeze_sizes(*this, static_cast<int64_t>(at)...); }
template <typename... A> Tensor Tensor::unsqueeze(A &&...at) const { return kernelset::unsqueeze_at(*this, static_cast<int64_t>(at)...); }
template <typename... A> Tensor Tensor::transpose(A &&...pair) const {
  const int64_t dimensions[] = {static_cast<int64_t>(pair)...};
  std::vector<int64_t> order(static_cast<size_t>(dim()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[kernelset::wrap_dimension(dimensions[0], order.size())],
            order[kernelset::wrap_dimension(dimensions[1], order.size())]);
  return kernelset::permute_by(*this, order);
}
template <typename... A> Tensor Tensor::t(A &&...) const { return dim() < 2 ? *this : transpose(0, 1); }
template <typename... A> Tensor Tensor::slice(A &&...range) const {
  return kernelset::slice_of(*this, static_cast<int64_t>(range)...);
}
template <typename... A> Tensor Tensor::select(A &&...place) const {
  return kernelset::select_of(*this, static_cast<int64_t>(place)...);
}
template <typename... A> Tensor Tensor::narrow(A &&...range) const {
  const int64_t parts[] = {static_cast<int64_t>(range)...};
  if (parts[1] + parts[2] > size(parts[0])) throw Error("out of range");
  return kernelset::slice_of(*this, parts[0], parts[1], parts[1] + parts[2]);
}
template <typename... A> Tensor Tensor::flatten(A &&...range) const {
  const int64_t bounds[] = {static_cast<int64_t>(range)..., 0, -1};
  const size_t first = kernelset::wrap_dimension(sizeof...(A) > 0 ? bounds[0] : 0, static_cast<size_t>(dim()));
  const size_t last = kernelset::wrap_dimension(sizeof...(A) > 1 ? bounds[1] : -1, static_cast<size_t>(dim()));
  std::vector<int64_t> shape;
  for (size_t at = 0; at < static_cast<size_t>(dim()); ++at) {
    if (at > first && at <= last) shape.back() *= size(static_cast<int64_t>(at));
    else shape.push_back(size(static_cast<int64_t>(at)));
  }
  return reshape(IntArrayRef(shape));
}

namespace cuda::detail {
template <typename T, typename I> TensorInfo<T, I> getTensorInfo(const Tensor &tensor) {
  return kernelset::describe_tensor<T, I>(tensor);
}
}  // namespace cuda::detail

}  // namespace at
