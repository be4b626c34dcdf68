// Loads and stores with a cache hint (the hint is dropped), address spaces, and control.
#ifndef KERNELSET_HIP_MEMORY_H
#define KERNELSET_HIP_MEMORY_H

// what a host made for NVIDIA's copies of tiles; here nothing reads it
struct alignas(64) CUtensorMap { unsigned long long opaque[16]; };

template <class T>
__device__ inline T __ldg(const T* address) {
  return *address;
}
template <class T>
__device__ inline T __ldcs(const T* address) {
  return *address;
}
template <class T>
__device__ inline T __ldcg(const T* address) {
  return *address;
}
template <class T>
__device__ inline T __ldca(const T* address) {
  return *address;
}
template <class T>
__device__ inline T __ldlu(const T* address) {
  return *address;
}
template <class T>
__device__ inline T __ldcv(const T* address) {
  return *static_cast<const volatile T*>(address);
}
template <class T>
__device__ inline void __stcs(T* address, T value) {
  *address = value;
}
template <class T>
__device__ inline void __stcg(T* address, T value) {
  *address = value;
}
template <class T>
__device__ inline void __stwb(T* address, T value) {
  *address = value;
}
template <class T>
__device__ inline void __stwt(T* address, T value) {
  *address = value;
}

#ifdef __HIP_DEVICE_COMPILE__
KERNELSET_FILL unsigned __isShared(const void* address) {
  return __builtin_amdgcn_is_shared(address);
}
KERNELSET_FILL unsigned __isLocal(const void* address) {
  return __builtin_amdgcn_is_private(address);
}
#else  // the host's half of a program knows no such spaces
KERNELSET_FILL unsigned __isShared(const void*) { return 0; }
KERNELSET_FILL unsigned __isLocal(const void*) { return 0; }
#endif
KERNELSET_FILL unsigned __isGlobal(const void* address) { return !__isShared(address) && !__isLocal(address); }
KERNELSET_FILL size_t __cvta_generic_to_shared(const void* address) {
  return (size_t)(const __attribute__((address_space(3))) void*)address;
}

// launches are never overlapped here, so there is nothing to wait for
__device__ inline void kernelset_grid_dependency_synchronize() {}
__device__ inline void kernelset_trigger_launch_completion() {}

KERNELSET_FILL void __nanosleep(unsigned) { __builtin_amdgcn_s_sleep(1); }
KERNELSET_FILL void __trap() { __builtin_trap(); }
KERNELSET_FILL void __brkpt() { __builtin_trap(); }
KERNELSET_FILL void __prof_trigger(int) {}

#endif
