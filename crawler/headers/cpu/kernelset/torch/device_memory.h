// PyTorch's memory on the device: the host's, given out by the library in which kernels run.
#pragma once
#include <ATen/ATen.h>
#include <c10/core/Allocator.h>

#include <cstring>

extern "C" {
void* kernelset_device_allocate(size_t bytes);
void kernelset_device_release(void* place);
void kernelset_device_wrote(const void* begin, size_t bytes);
}

namespace kernelset {

inline const c10::Device the_device() { return c10::Device(c10::DeviceType::CUDA, 0); }

class DeviceAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* place = bytes ? kernelset_device_allocate(bytes) : nullptr;
    TORCH_CHECK(place || !bytes, "CUDA out of memory: ", bytes, " bytes");
    return {place, place, &release, the_device()};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    memcpy(to, from, bytes);
    kernelset_device_wrote(to, bytes);
  }

 private:
  static void release(void* place) {
    if (place) kernelset_device_release(place);
  }
};
inline DeviceAllocator& device_allocator() {
  static DeviceAllocator* allocator = new DeviceAllocator();  // it must outlive every tensor
  return *allocator;
}

// the host wrote what a tensor has of its memory
inline void note_written(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage() || !tensor.numel()) return;
  size_t elements = 1;
  for (int64_t axis = 0; axis < tensor.dim(); ++axis) {
    elements += static_cast<size_t>(tensor.stride(axis)) * static_cast<size_t>(tensor.size(axis) - 1);
  }
  kernelset_device_wrote(tensor.const_data_ptr(), elements * tensor.element_size());
}

}  // namespace kernelset
