// Atomics of ATen/cuda/Atomic.cuh: `atomicAdd` for types that CUDA has none for, `gpuAtomicMul` and its kin.
// Rule: PyTorch, aten/src/ATen/cuda/Atomic.cuh.
#pragma once

#ifdef KERNELSET_CPU
template <typename T, typename Change> static __device__ inline T ks_torch_atomic_update(T *address, Change change) {
  return ::kernelset::atomically(address, change);
}
#else
// replaces a value of up to eight bytes, by compare-and-swap of the word that holds it
template <typename T, typename Change> static __device__ inline T ks_torch_atomic_update(T *address, Change change) {
  using Word = std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned int>;
  constexpr unsigned long long inside = sizeof(Word) - 1;
  Word *word = (Word *)((unsigned long long)address & ~inside);
  const unsigned int place = (unsigned int)((unsigned long long)address & inside);
  Word seen = *word, assumed;
  T old;
  do {
    assumed = seen;
    Word changed = assumed;
    __builtin_memcpy(&old, (char *)&assumed + place, sizeof(T));
    const T fresh = change(old);
    __builtin_memcpy((char *)&changed + place, &fresh, sizeof(T));
    seen = atomicCAS(word, assumed, changed);
  } while (seen != assumed);
  return old;
}
#endif

// The packs are always empty. Without them a project's own function of that name would redefine ours; with them it is
// preferred, by [temp.func.order].
#define KS_TORCH_ATOMIC_ADD(T)                                                            \
  template <typename... W> static __device__ inline T atomicAdd(T *p, T v, W...) {        \
    return ks_torch_atomic_update(p, [=](T old) { return static_cast<T>(old + v); });     \
  }
KS_TORCH_ATOMIC_ADD(c10::Half)
KS_TORCH_ATOMIC_ADD(c10::BFloat16)
KS_TORCH_ATOMIC_ADD(uint8_t)
KS_TORCH_ATOMIC_ADD(int8_t)
KS_TORCH_ATOMIC_ADD(int16_t)
KS_TORCH_ATOMIC_ADD(bool)
#undef KS_TORCH_ATOMIC_ADD
template <typename... W> static __device__ inline int64_t atomicAdd(int64_t *p, int64_t v, W...) {
  return (int64_t)atomicAdd((unsigned long long *)p, (unsigned long long)v);
}

template <typename T> using ks_as = std::enable_if_t<true, T>;  // takes what converts to T
template <typename T> static __device__ inline T gpuAtomicAdd(T *p, ks_as<T> v) { return atomicAdd(p, v); }
template <typename T> static __device__ inline void gpuAtomicAdd(c10::complex<T> *p, c10::complex<T> v) {
  T *parts = reinterpret_cast<T *>(p);
  gpuAtomicAdd(parts, v.real());
  gpuAtomicAdd(parts + 1, v.imag());
}
template <typename T> static __device__ inline void gpuAtomicAddNoReturn(T *p, ks_as<T> v) { atomicAdd(p, v); }
template <typename T> static __device__ inline T gpuAtomicMul(T *p, ks_as<T> v) {
  return ks_torch_atomic_update(p, [=](T old) { return static_cast<T>(old * v); });
}
// a NaN wins, as in ATen
template <typename T> static __device__ inline T gpuAtomicMax(T *p, ks_as<T> v) {
  return ks_torch_atomic_update(p, [=](T old) { return old != old || v <= old ? old : v; });
}
template <typename T> static __device__ inline T gpuAtomicMin(T *p, ks_as<T> v) {
  return ks_torch_atomic_update(p, [=](T old) { return old != old || v >= old ? old : v; });
}
