// The device as a library that others of the same process share: what a test suite in Python loads before the extension
// whose kernels it runs. PyTorch's memory on the device comes from here, by these functions of C.
#pragma once


KS_RUNTIME_BEGIN
KS_SELDOM_BEGIN
#define KS_EXPORT extern "C" __attribute__((visibility("default"), used))

KS_EXPORT void* kernelset_device_allocate(size_t bytes) {
  return kernelset::allocate(bytes ? bytes : 1, kernelset::MemoryKind::device);
}
KS_EXPORT void kernelset_device_release(void* place) { kernelset::release(place); }
// the host wrote there, by an operator of PyTorch's own
KS_EXPORT void kernelset_device_wrote(const void* begin, size_t bytes) {
  const int number = kernelset::allocation_at(begin);
  if (number < 0) return;
  kernelset::Allocation& own = kernelset::allocations()[number];
  const size_t from = static_cast<size_t>(static_cast<const char*>(begin) - own.base);
  if (from < own.size) own.host_writes.add(from, std::min(from + bytes, own.size));
}
// launches from here on are those of a test
KS_EXPORT void kernelset_begin_test(const char* name) {
  fputs("test ", kernelset::launch_log());
  for (const char* at = name; *at; ++at) fputc(*at > ' ' && *at < 127 ? *at : '_', kernelset::launch_log());
  fputs("\n", kernelset::launch_log());
  fflush(kernelset::launch_log());
}
// what became of the test that was begun last
KS_EXPORT void kernelset_end_test(const char* outcome) {
  fprintf(kernelset::launch_log(), "outcome %s\n", outcome);
  fflush(kernelset::launch_log());
}

#undef KS_EXPORT
KS_SELDOM_END
KS_RUNTIME_END
