// The CUDA runtime of a program whose device is this CPU: its memory is the host's, and each call is over when it returns.
// What is not here answers `cudaErrorNotSupported`, and the log says so.
// Rule: CUDA Runtime API.
#pragma once
#include <type_traits>
#include <unordered_map>

#include <kernelset/cpu/entry.h>
#include <kernelset/program/submit.h>

namespace kernelset {

KS_HIDDEN cudaError_t allocate_memory(void** place, size_t bytes, int kind);
KS_HIDDEN cudaError_t free_memory(void* place);
KS_HIDDEN cudaError_t copy_memory(void* to, const void* from, size_t bytes);
KS_HIDDEN cudaError_t set_memory(void* to, int value, size_t bytes);
KS_HIDDEN cudaError_t copy_rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height);
KS_HIDDEN cudaError_t describe_pointer(cudaPointerAttributes* attributes, const void* place);
KS_HIDDEN cudaError_t describe_device(cudaDeviceProp* properties);
KS_HIDDEN int device_attribute(int attribute);
KS_HIDDEN cudaError_t remember(cudaError_t error);
KS_HIDDEN cudaError_t refuse_call(const char* name);
KS_HIDDEN void* new_handle();

constexpr int device_memory = 0, managed_memory = 1, pinned_memory = 2;
constexpr size_t pitch_alignment = 512;

// how a kernel is started of which nothing but the address is at hand
using StartByAddress = cudaError_t (*)(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared);
inline std::unordered_map<const void*, StartByAddress>& known_kernels() {
  static std::unordered_map<const void*, StartByAddress> kernels;
  return kernels;
}
// `(void*)(KernelAddress)K`: the address of K, whose type is remembered
struct KernelAddress {
  void* place;
  template <class... P>
  KernelAddress(void (*kernel)(P...));
  operator void*() const { return place; }
};

}  // namespace kernelset

KS_HIDDEN cudaError_t cudaGetLastError();
KS_HIDDEN cudaError_t cudaPeekAtLastError();
KS_HIDDEN const char* cudaGetErrorString(cudaError_t);
KS_HIDDEN const char* cudaGetErrorName(cudaError_t);

// memory
template <class T>
KS_D cudaError_t cudaMalloc(T** place, size_t bytes) {
  return kernelset::allocate_memory((void**)place, bytes, kernelset::device_memory);
}
template <class T, class Stream>
KS_D cudaError_t cudaMallocAsync(T** place, size_t bytes, Stream&&) {
  return cudaMalloc(place, bytes);
}
template <class T>
KS_D cudaError_t cudaMallocManaged(T** place, size_t bytes, unsigned = 1) {
  return kernelset::allocate_memory((void**)place, bytes, kernelset::managed_memory);
}
template <class T>
KS_D cudaError_t cudaMallocHost(T** place, size_t bytes, unsigned = 0) {
  return kernelset::allocate_memory((void**)place, bytes, kernelset::pinned_memory);
}
template <class T>
KS_D cudaError_t cudaHostAlloc(T** place, size_t bytes, unsigned = 0) {
  return cudaMallocHost(place, bytes);
}
template <class T>
KS_D cudaError_t cudaMallocPitch(T** place, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + kernelset::pitch_alignment - 1) / kernelset::pitch_alignment * kernelset::pitch_alignment;
  return cudaMalloc(place, *pitch * height);
}
KS_D cudaError_t cudaFree(const void* place) { return kernelset::free_memory(const_cast<void*>(place)); }
KS_D cudaError_t cudaFreeHost(const void* place) { return cudaFree(place); }
template <class Stream>
KS_D cudaError_t cudaFreeAsync(const void* place, Stream&&) {
  return cudaFree(place);
}
KS_D cudaError_t cudaHostRegister(void*, size_t, unsigned = 0) { return kernelset::remember(cudaSuccess); }
KS_D cudaError_t cudaHostUnregister(void*) { return kernelset::remember(cudaSuccess); }
template <class T>
KS_D cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned = 0) {
  *device = static_cast<T*>(host);
  return kernelset::remember(cudaSuccess);
}
KS_D cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* place) {
  return kernelset::describe_pointer(attributes, place);
}
KS_D cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  *free_bytes = *total_bytes = size_t(2) << 30;
  return kernelset::remember(cudaSuccess);
}

// copies; streams are in order, and done when they return
KS_D cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, int = 4) {
  return kernelset::copy_memory(to, from, bytes);
}
template <class... Stream>
KS_D cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, int, Stream&&...) {
  return kernelset::copy_memory(to, from, bytes);
}
template <class... Rest>
KS_D cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes, Rest&&...) {
  return kernelset::copy_memory(to, from, bytes);
}
template <class... Rest>
KS_D cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, Rest&&...) {
  return kernelset::copy_rows(to, to_pitch, from, from_pitch, width, height);
}
template <class... Rest>
KS_D cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height, Rest&&...) {
  return kernelset::copy_rows(to, to_pitch, from, from_pitch, width, height);
}
KS_D cudaError_t cudaMemset(void* to, int value, size_t bytes) { return kernelset::set_memory(to, value, bytes); }
template <class... Stream>
KS_D cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, Stream&&...) {
  return kernelset::set_memory(to, value, bytes);
}
template <class... Stream>
KS_D cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height, Stream&&...) {
  for (size_t row = 0; row < height; ++row) {
    const cudaError_t error = kernelset::set_memory(static_cast<char*>(to) + row * pitch, value, width);
    if (error) return error;
  }
  return cudaSuccess;
}
// a symbol is the variable itself
template <class T, class... Rest>
KS_D cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t bytes, size_t offset = 0, Rest&&...) {
  if (offset + bytes > sizeof(T)) return kernelset::remember(cudaErrorInvalidValue);
  return kernelset::copy_memory((char*)&symbol + offset, from, bytes);
}
template <class T, class... Rest>
KS_D cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t bytes, size_t offset = 0, Rest&&...) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset);
}
template <class T, class... Rest>
KS_D cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t bytes, size_t offset = 0, Rest&&...) {
  if (offset + bytes > sizeof(T)) return kernelset::remember(cudaErrorInvalidValue);
  return kernelset::copy_memory(to, (const char*)&symbol + offset, bytes);
}
template <class T, class... Rest>
KS_D cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t bytes, size_t offset = 0, Rest&&...) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset);
}
template <class T, class Symbol>
KS_D cudaError_t cudaGetSymbolAddress(T** place, const Symbol& symbol) {
  *place = (T*)&symbol;
  return kernelset::remember(cudaSuccess);
}
template <class Symbol>
KS_D cudaError_t cudaGetSymbolSize(size_t* bytes, const Symbol&) {
  *bytes = sizeof(Symbol);
  return kernelset::remember(cudaSuccess);
}

// the device
KS_D cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return kernelset::remember(cudaSuccess);
}
KS_D cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return kernelset::remember(cudaSuccess);
}
KS_D cudaError_t cudaSetDevice(int device) {
  return kernelset::remember(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}
KS_D cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) { return kernelset::describe_device(properties); }
KS_D cudaError_t cudaDeviceGetAttribute(int* value, int attribute, int) {
  *value = kernelset::device_attribute(attribute);
  return kernelset::remember(*value < 0 ? cudaErrorInvalidValue : cudaSuccess);
}
KS_D cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return kernelset::remember(cudaSuccess);
}
KS_D cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }
KS_D cudaError_t cudaDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return kernelset::remember(cudaSuccess);
}
KS_D cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return kernelset::remember(cudaSuccess);
}
KS_D cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit) {
  *value = 8 << 20;
  return kernelset::remember(cudaSuccess);
}

// streams and events: whatever one would wait for is done
template <class... Rest>
KS_D cudaError_t cudaStreamCreate(cudaStream_t* stream, Rest&&...) {
  *stream = static_cast<cudaStream_t>(kernelset::new_handle());
  return kernelset::remember(cudaSuccess);
}
template <class... Rest>
KS_D cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, Rest&&...) {
  return cudaStreamCreate(stream);
}
template <class... Rest>
KS_D cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, Rest&&...) {
  return cudaStreamCreate(stream);
}
template <class Stream>
KS_D cudaError_t cudaStreamGetFlags(Stream&&, unsigned* flags) {
  *flags = 0;
  return kernelset::remember(cudaSuccess);
}
template <class... Rest>
KS_D cudaError_t cudaChooseDevice(int* device, Rest&&...) {
  return cudaGetDevice(device);
}
template <class Stream>
KS_D cudaError_t cudaStreamGetPriority(Stream&&, int* priority) {
  *priority = 0;
  return kernelset::remember(cudaSuccess);
}
template <class Stream>
KS_D cudaError_t cudaStreamIsCapturing(Stream&&, cudaStreamCaptureStatus* status) {
  *status = cudaStreamCaptureStatusNone;
  return kernelset::remember(cudaSuccess);
}
template <class... Rest>
KS_D cudaError_t cudaEventCreate(cudaEvent_t* event, Rest&&...) {
  *event = static_cast<cudaEvent_t>(kernelset::new_handle());
  return kernelset::remember(cudaSuccess);
}
template <class... Rest>
KS_D cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, Rest&&...) {
  return cudaEventCreate(event);
}
// always the same, so that two runs say the same
KS_D cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 1.0f;
  return kernelset::remember(cudaSuccess);
}
template <class Stream, class Callback>
KS_D cudaError_t cudaStreamAddCallback(Stream&& stream, Callback&& callback, void* data, unsigned) {
  callback(stream, cudaSuccess, data);
  return kernelset::remember(cudaSuccess);
}
template <class Stream, class Callback>
KS_D cudaError_t cudaLaunchHostFunc(Stream&&, Callback&& callback, void* data) {
  callback(data);
  return kernelset::remember(cudaSuccess);
}
#define KS_DONE(NAME)                  \
  template <class... Ignored>          \
  KS_D cudaError_t NAME(Ignored&&...) { \
    return kernelset::remember(cudaSuccess); \
  }
KS_DONE(cudaDeviceSynchronize) KS_DONE(cudaThreadSynchronize) KS_DONE(cudaDeviceReset) KS_DONE(cudaDeviceSetLimit)
KS_DONE(cudaThreadExit) KS_DONE(cudaDeviceSetCacheConfig) KS_DONE(cudaDeviceSetSharedMemConfig) KS_DONE(cudaSetDeviceFlags)
KS_DONE(cudaStreamDestroy) KS_DONE(cudaStreamSynchronize) KS_DONE(cudaStreamWaitEvent) KS_DONE(cudaStreamQuery)
KS_DONE(cudaStreamSetAttribute) KS_DONE(cudaEventDestroy) KS_DONE(cudaEventRecord) KS_DONE(cudaEventSynchronize)
KS_DONE(cudaEventQuery) KS_DONE(cudaFuncSetAttribute) KS_DONE(cudaFuncSetCacheConfig) KS_DONE(cudaFuncSetSharedMemConfig)
KS_DONE(cudaMemPrefetchAsync) KS_DONE(cudaMemAdvise) KS_DONE(cudaStreamAttachMemAsync) KS_DONE(cudaProfilerStart)
KS_DONE(cudaProfilerStop) KS_DONE(cudaCtxResetPersistingL2Cache) KS_DONE(cudaDeviceEnablePeerAccess)
KS_DONE(cudaDeviceDisablePeerAccess)
#undef KS_DONE
KS_D cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* configuration) {
  *configuration = cudaFuncCachePreferNone;
  return kernelset::remember(cudaSuccess);
}
template <class... Rest>
KS_D cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Rest&&...) {
  *blocks = 2;
  return kernelset::remember(cudaSuccess);
}
template <class... Rest>
KS_D cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, Rest&&...) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks);
}
template <class... Rest>
KS_D cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* block, Rest&&...) {
  *least_grid = 8;
  *block = 256;
  return kernelset::remember(cudaSuccess);
}
template <class... Rest>
KS_D cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Rest&&...) {
  *attributes = {};
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->ptxVersion = attributes->binaryVersion = 80;
  attributes->maxDynamicSharedSizeBytes = 48 << 10;
  return kernelset::remember(cudaSuccess);
}

// launches by a function's address
template <class... P, class... Stream>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared = 0, Stream&&...) {
  kernelset::start_by_places(kernel, {grid, block, shared}, arguments, std::index_sequence_for<P...>());
  return cudaPeekAtLastError();
}
template <class... Stream>
cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0, Stream&&...) {
  const auto known = kernelset::known_kernels().find(kernel);
  if (known == kernelset::known_kernels().end()) return kernelset::refuse_call("cudaLaunchKernel of an unknown address");
  return known->second(kernel, grid, block, arguments, shared);
}
template <class... P>
kernelset::KernelAddress::KernelAddress(void (*kernel)(P...)) : place(reinterpret_cast<void*>(kernel)) {
  known_kernels()[place] = [](const void* address, dim3 grid, dim3 block, void** arguments, size_t shared) {
    return cudaLaunchKernel(reinterpret_cast<void (*)(P...)>(const_cast<void*>(address)), grid, block, arguments, shared);
  };
}
template <class... P, class... Stream>
cudaError_t cudaLaunchCooperativeKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments, size_t shared = 0, Stream&&...) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared);
}
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* configuration, void (*kernel)(P...), A&&... arguments) {
  kernelset::Configuration{configuration->gridDim, configuration->blockDim, configuration->dynamicSmemBytes}.start(
      [&](auto&... copies) { kernel(kernelset::pass(copies)...); }, static_cast<std::decay_t<P>>(arguments)...);
  return cudaPeekAtLastError();
}

#define KS_LACKING(NAME)              \
  template <class... Ignored>         \
  cudaError_t NAME(Ignored&&...) {    \
    return kernelset::refuse_call(#NAME); \
  }
KS_LACKING(cudaStreamBeginCapture) KS_LACKING(cudaStreamEndCapture)
KS_LACKING(cudaStreamGetCaptureInfo) KS_LACKING(cudaThreadExchangeStreamCaptureMode) KS_LACKING(cudaGraphInstantiate)
KS_LACKING(cudaGraphLaunch) KS_LACKING(cudaGraphDestroy) KS_LACKING(cudaGraphExecDestroy) KS_LACKING(cudaGraphExecUpdate)
KS_LACKING(cudaGraphGetNodes) KS_LACKING(cudaGraphCreate) KS_LACKING(cudaGraphAddKernelNode)
KS_LACKING(cudaOccupancyMaxActiveClusters) KS_LACKING(cudaOccupancyMaxPotentialBlockSizeVariableSMem)
KS_LACKING(cudaOccupancyAvailableDynamicSMemPerBlock) KS_LACKING(cudaLaunchKernelExC) 
KS_LACKING(cudaIpcGetMemHandle)
KS_LACKING(cudaIpcOpenMemHandle) KS_LACKING(cudaIpcCloseMemHandle) KS_LACKING(cudaDeviceGetDefaultMemPool)
KS_LACKING(cudaMemPoolSetAttribute) KS_LACKING(cudaGetDriverEntryPoint) KS_LACKING(cudaDeviceGetPCIBusId)
KS_LACKING(cudaGraphGetRootNodes) KS_LACKING(cudaGraphAddMemcpyNode) KS_LACKING(cudaGraphAddMemsetNode)
KS_LACKING(cudaGraphAddDependencies) KS_LACKING(cudaGraphKernelNodeGetParams) KS_LACKING(cudaGraphKernelNodeSetParams)
KS_LACKING(cudaGraphExecKernelNodeSetParams) KS_LACKING(cudaGraphUpload) KS_LACKING(cudaLaunchDevice)
KS_LACKING(cudaLaunchDeviceV2) KS_LACKING(cudaStreamUpdateCaptureDependencies)
KS_LACKING(cudaStreamBeginCaptureToGraph) KS_LACKING(cudaGraphAddNode)
KS_LACKING(cudaMallocMipmappedArray) KS_LACKING(cudaFreeMipmappedArray) KS_LACKING(cudaGetMipmappedArrayLevel)
KS_LACKING(cudaMemcpyArrayToArray) KS_LACKING(cudaArrayGetInfo) KS_LACKING(cudaMemPoolCreate) KS_LACKING(cudaMemPoolDestroy)
KS_LACKING(cudaMallocFromPoolAsync) KS_LACKING(cudaGraphAddHostNode) KS_LACKING(cudaGraphAddChildGraphNode)
#undef KS_LACKING
#include <kernelset/program/arrays.h>
