// The device as a library that others of the same process share: what a test suite in Python loads before the extension
// whose kernels it runs. PyTorch's memory on the device comes from here, by these functions of C.
#pragma once

KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
#define KS_EXPORT extern "C" __attribute__((visibility("default"), used))

KS_EXPORT void* kernelset_device_allocate(size_t bytes) {
  return kernelset::allocate(bytes ? bytes : 1, kernelset::MemoryKind::device);
}
KS_EXPORT void kernelset_device_release(void* place) { kernelset::free_memory(place); }
// the host wrote there, by an operator of PyTorch's own
KS_EXPORT void kernelset_device_wrote(const void* begin, size_t bytes) {
  const int number = kernelset::allocation_at(begin);
  if (number < 0) return;
  kernelset::Allocation& own = kernelset::allocations()[number];
  const size_t from = static_cast<size_t>(static_cast<const char*>(begin) - own.base);
  if (from < own.size) own.host_writes.add(from, std::min(from + bytes, own.size));
}
// launches from here on are those of a test
KS_EXPORT void kernelset_begin_test(int number) { kernelset::begin_test(number); }
// From here on threads of a kernel end at once, or what it wrote is changed: of the instantiation with these `arguments`,
// of every one where they are empty; of no kernel for -1.
KS_EXPORT void kernelset_skip(int kernel, const char* arguments) { kernelset::skip_target() = {kernel, arguments}; }
KS_EXPORT void kernelset_spoil(int kernel, const char* arguments) { kernelset::spoil_target() = {kernel, arguments}; }

#undef KS_EXPORT
KS_SELDOM_END
KS_RUNTIME_END
