// A CUDA device for PyTorch's builds for the CPU: one, whose streams are in order and done.
// Rule: c10/core/impl/DeviceGuardImplInterface.h and ATen/detail/CUDAHooksInterface.h of PyTorch.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <kernelset/torch/device_memory.h>

namespace kernelset {
namespace {

thread_local c10::StreamId current_stream = 0;
c10::Stream stream_of(c10::StreamId id) { return c10::Stream(c10::Stream::UNSAFE, the_device(), id); }

struct DeviceGuard final : public c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return c10::DeviceType::CUDA; }
  c10::Device exchangeDevice(c10::Device device) const override {
    setDevice(device);
    return the_device();
  }
  c10::Device getDevice() const override { return the_device(); }
  void setDevice(c10::Device device) const override {
    TORCH_CHECK(device.index() <= 0, "CUDA error: invalid device ordinal");
  }
  void uncheckedSetDevice(c10::Device) const noexcept override {}
  c10::Stream getStream(c10::Device) const override { return stream_of(current_stream); }
  c10::Stream getDefaultStream(c10::Device) const override { return stream_of(0); }
  c10::Stream getStreamFromGlobalPool(c10::Device, bool = false) const override {
    static c10::StreamId made = 0;
    return stream_of(++made);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    const c10::StreamId previous = current_stream;
    current_stream = stream.id();
    return stream_of(previous);
  }
  c10::DeviceIndex deviceCount() const noexcept override { return 1; }
  bool queryStream(const c10::Stream&) const override { return true; }
  void synchronizeStream(const c10::Stream&) const override {}
  void record(void**, const c10::Stream&, const c10::DeviceIndex, const c10::EventFlag) const override {}
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void synchronizeEvent(void*) const override {}
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream&) const override {}
};
C10_REGISTER_GUARD_IMPL(CUDA, DeviceGuard)

__attribute__((constructor)) void register_allocator() {
  c10::SetAllocator(c10::DeviceType::CUDA, &device_allocator());
}

}  // namespace
}  // namespace kernelset

namespace at {

// it is asked for by this name
struct CUDAHooks : public CUDAHooksInterface {
  explicit CUDAHooks(CUDAHooksArgs) {}
  bool hasCUDA() const override { return true; }
  bool hasCUDART() const override { return true; }
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  void init() const override {}
  int getNumGPUs() const override { return 1; }
  c10::DeviceIndex deviceCount() const override { return 1; }
  c10::DeviceIndex current_device() const override { return 0; }
  c10::DeviceIndex getCurrentDevice() const override { return 0; }
  void setCurrentDevice(c10::DeviceIndex) const override {}
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex) const override { return 0; }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex) const override { return 0; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  bool isPinnedPtr(const void*) const override { return false; }
  Allocator* getPinnedMemoryAllocator() const override { return c10::GetAllocator(c10::DeviceType::CPU); }
  Allocator* getCUDADeviceAllocator() const override { return &kernelset::device_allocator(); }
  Device getDeviceFromPtr(void*) const override { return kernelset::the_device(); }
  // operators run on the CPU, and draw there
  const Generator& getDefaultGenerator(c10::DeviceIndex = -1) const override { return at::detail::getDefaultCPUGenerator(); }
  Generator getNewGenerator(c10::DeviceIndex = -1) const override { return at::detail::createCPUGenerator(); }
  long versionCUDART() const override { return 12060; }
  void deviceSynchronize(c10::DeviceIndex) const override {}
};
REGISTER_CUDA_HOOKS(CUDAHooks)

}  // namespace at
