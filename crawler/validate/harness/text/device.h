// ---- where the kernel runs

#if defined(KERNELSET_CPU)
#include <kernelset/cpu/host.h>
#define KERNEL(...) (&kernelset::Call<__VA_ARGS__>::entry)
namespace test {
using Kernel = const kernelset::Entry*;
static const char* device_problem() { return nullptr; }
static void* reserve(size_t bytes) { return aligned_alloc(256, (bytes + 255) / 256 * 256); }
static void release(void* place) { free(place); }
static void copy_in(void* place, const void* from, size_t bytes) { memcpy(place, from, bytes); }
static void copy_out(void* to, const void* place, size_t bytes) { memcpy(to, place, bytes); }
static std::string launch(Kernel kernel, dim3 grid, dim3 block, size_t shared, std::vector<void*>& arguments) {
  const unsigned count = static_cast<unsigned>(arguments.size());
  return kernelset::launch_here(kernel, grid, block, shared, arguments.data(), count) ? "" : "the launch failed";
}
}  // namespace test
#else
#if defined(__HIPCC__) || defined(__HIP__)
#define DEVICE(name) hip##name
#else
#define DEVICE(name) cuda##name
#endif
#define KERNEL(...) reinterpret_cast<const void*>(__VA_ARGS__)
namespace test {
using Kernel = const void*;
static const char* device_problem() {
  int count = 0;
  const auto error = DEVICE(GetDeviceCount)(&count);
  if (error != DEVICE(Success)) return DEVICE(GetErrorString)(error);
  return count ? nullptr : "there is no device";
}
static void must(DEVICE(Error_t) error, const char* what) {
  if (error == DEVICE(Success)) return;
  printf("%s: %s\n", what, DEVICE(GetErrorString)(error));
  exit(2);
}
static void* reserve(size_t bytes) {
  void* place = nullptr;
  must(DEVICE(Malloc)(&place, bytes), "no memory on the device");
  return place;
}
static void release(void* place) { must(DEVICE(Free)(place), "memory of the device"); }
static void copy_in(void* place, const void* from, size_t bytes) {
  must(DEVICE(Memcpy)(place, from, bytes, DEVICE(MemcpyHostToDevice)), "copying to the device");
}
static void copy_out(void* to, const void* place, size_t bytes) {
  must(DEVICE(Memcpy)(to, place, bytes, DEVICE(MemcpyDeviceToHost)), "copying from the device");
}
static std::string launch(Kernel kernel, dim3 grid, dim3 block, size_t shared, std::vector<void*>& arguments) {
  if (shared > 48 << 10) {
#if defined(__HIPCC__) || defined(__HIP__)
    (void)hipFuncSetAttribute(kernel, hipFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
#else
    (void)cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
#endif
  }
  auto error = DEVICE(LaunchKernel)(kernel, grid, block, arguments.data(), shared, nullptr);
  if (error == DEVICE(Success)) error = DEVICE(DeviceSynchronize)();
  return error == DEVICE(Success) ? "" : std::string("the launch failed: ") + DEVICE(GetErrorString)(error);
}
}  // namespace test
#endif
