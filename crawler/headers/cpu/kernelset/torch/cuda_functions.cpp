// What extensions call of PyTorch's CUDA libraries, which its builds for the CPU come without: one device, whose streams
// are in order and done.
// Rule: c10/cuda and ATen/cuda of PyTorch, by interface.
#include <kernelset/cuda.cuh>

#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAMiscFunctions.h>
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda {

DeviceIndex device_count() noexcept { return 1; }
DeviceIndex device_count_ensure_non_zero() { return 1; }
DeviceIndex current_device() { return 0; }
void device_synchronize() {}
void warn_or_error_on_sync() {}
bool hasPrimaryContext(DeviceIndex) { return true; }
std::optional<DeviceIndex> getDeviceIndexWithPrimaryContext() { return DeviceIndex(0); }

static cudaError_t choose(DeviceIndex device) { return device <= 0 ? cudaSuccess : cudaErrorInvalidDevice; }
void set_device(DeviceIndex device, const bool) { C10_CUDA_CHECK(choose(device)); }
cudaError_t GetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t GetDevice(DeviceIndex* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t SetDevice(DeviceIndex device, const bool) { return choose(device); }
cudaError_t MaybeSetDevice(DeviceIndex device) { return choose(device); }
DeviceIndex ExchangeDevice(DeviceIndex device) {
  set_device(device, false);
  return 0;
}
DeviceIndex MaybeExchangeDevice(DeviceIndex device) { return ExchangeDevice(device); }
void SetTargetDevice() {}

static thread_local StreamId current_stream = 0;
static CUDAStream stream_of(StreamId id) {
  return CUDAStream(CUDAStream::UNCHECKED, Stream(Stream::UNSAFE, Device(DeviceType::CUDA, 0), id));
}
cudaStream_t CUDAStream::stream() const { return reinterpret_cast<cudaStream_t>(id()); }
bool CUDAStream::query() const { return true; }
void CUDAStream::synchronize() const {}
CUDAStream getStreamFromPool(const int, DeviceIndex) {
  static StreamId made = 0;
  return stream_of(++made);
}
CUDAStream getStreamFromPool(const bool, DeviceIndex device) { return getStreamFromPool(0, device); }
CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex) { return stream_of(reinterpret_cast<StreamId>(stream)); }
CUDAStream getDefaultCUDAStream(DeviceIndex) { return stream_of(0); }
CUDAStream getCurrentCUDAStream(DeviceIndex) { return stream_of(current_stream); }
void setCurrentCUDAStream(CUDAStream stream) { current_stream = stream.id(); }
std::ostream& operator<<(std::ostream& out, const CUDAStream& stream) { return out << stream.unwrap(); }

void c10_cuda_check_implementation(const int32_t error, const char* file, const char* function, const uint32_t line, const bool) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // as a device does, it is told once
  const auto text = std::string("CUDA error: ") + cudaGetErrorString(static_cast<cudaError_t>(error));
  throw c10::AcceleratorError({function, file, line}, error, text);
}
std::string get_cuda_error_help(cudaError_t) noexcept { return {}; }
const char* get_cuda_check_suffix() noexcept { return ""; }
std::mutex* getFreeMutex() {
  static std::mutex mutex;
  return &mutex;
}

}  // namespace c10::cuda

namespace at::cuda {

cudaDeviceProp* getDeviceProperties(c10::DeviceIndex) {
  static cudaDeviceProp properties = [] {
    cudaDeviceProp described;
    cudaGetDeviceProperties(&described, 0);
    return described;
  }();
  return &properties;
}
cudaDeviceProp* getCurrentDeviceProperties() { return getDeviceProperties(0); }
int warp_size() { return getDeviceProperties(0)->warpSize; }
bool canDeviceAccessPeer(c10::DeviceIndex, c10::DeviceIndex) { return false; }
c10::Allocator* getCUDADeviceAllocator() { return c10::GetAllocator(c10::DeviceType::CUDA); }

}  // namespace at::cuda
