// The compiler's own atomics of CUDA 12.8 and later, whose order and scope are arguments.
// Each is at least as strong as its order and scope ask for: an atomic of the device between fences of the device.
// Rule: CUDA C++ Programming Guide, "Atomic Functions", `__nv_atomic_*`.
#ifndef KERNELSET_NV_ATOMIC_H
#define KERNELSET_NV_ATOMIC_H

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4

#define KS_SCOPE int = __NV_THREAD_SCOPE_SYSTEM
#define KS_NV_ATOMIC template <class T> __device__ inline
// keeps an argument out of the deduction of `T`: `__nv_atomic_fetch_add(&counter, 1, ...)` takes a counter of any type
template <class T> struct ks_nv_value { typedef T type; };
#define KS_VALUE typename ks_nv_value<T>::type

__device__ inline void __nv_atomic_thread_fence(int order, KS_SCOPE) {
  if (order != __NV_ATOMIC_RELAXED) __threadfence();
}

#ifdef KERNELSET_CPU
KS_NV_ATOMIC T ks_nv_load(const T* place) { return ks_ordered_load(place); }
KS_NV_ATOMIC void ks_nv_store(T* place, T value) { ks_ordered_store(place, value); }
#else
KS_NV_ATOMIC T ks_nv_load(const T* place) { return *(const volatile T*)place; }
KS_NV_ATOMIC void ks_nv_store(T* place, T value) { *(volatile T*)place = value; }
#endif

KS_NV_ATOMIC T __nv_atomic_load_n(T* place, int order, KS_SCOPE) {
  const T value = ks_nv_load(place);
  __nv_atomic_thread_fence(order);
  return value;
}
KS_NV_ATOMIC void __nv_atomic_load(T* place, T* result, int order, KS_SCOPE) {
  *result = __nv_atomic_load_n(place, order);
}
KS_NV_ATOMIC void __nv_atomic_store_n(T* place, KS_VALUE value, int order, KS_SCOPE) {
  __nv_atomic_thread_fence(order);
  ks_nv_store(place, value);
}
KS_NV_ATOMIC void __nv_atomic_store(T* place, T* value, int order, KS_SCOPE) {
  __nv_atomic_store_n(place, *value, order);
}

// an atomic that changes a value and returns the old one, between the fences of its order
#define KS_NV_CHANGE(NAME, CHANGE)                                                      \
  KS_NV_ATOMIC T __nv_atomic_##NAME(T* place, KS_VALUE value, int order, KS_SCOPE) {    \
    __nv_atomic_thread_fence(order);                                                    \
    const T old = CHANGE;                                                               \
    __nv_atomic_thread_fence(order);                                                    \
    return old;                                                                         \
  }
KS_NV_CHANGE(exchange_n, atomicExch(place, value))
#define KS_NV_FETCH(NAME, CHANGE)                                                       \
  KS_NV_CHANGE(fetch_##NAME, CHANGE)                                                    \
  KS_NV_ATOMIC void __nv_atomic_##NAME(T* place, KS_VALUE value, int order, KS_SCOPE) { \
    (void)__nv_atomic_fetch_##NAME(place, value, order);                                \
  }
KS_NV_FETCH(add, atomicAdd(place, value))
KS_NV_FETCH(sub, atomicAdd(place, T(-value)))
KS_NV_FETCH(min, atomicMin(place, value))
KS_NV_FETCH(max, atomicMax(place, value))
KS_NV_FETCH(and, atomicAnd(place, value))
KS_NV_FETCH(or, atomicOr(place, value))
KS_NV_FETCH(xor, atomicXor(place, value))
#undef KS_NV_FETCH
#undef KS_NV_CHANGE

KS_NV_ATOMIC void __nv_atomic_exchange(T* place, T* value, T* result, int order, KS_SCOPE) {
  *result = __nv_atomic_exchange_n(place, *value, order);
}
KS_NV_ATOMIC bool __nv_atomic_compare_exchange_n(T* place, T* expected, KS_VALUE value, bool, int order, int, KS_SCOPE) {
  __nv_atomic_thread_fence(order);
  const T old = atomicCAS(place, *expected, value);
  __nv_atomic_thread_fence(order);
  const bool same = old == *expected;
  *expected = old;
  return same;
}
KS_NV_ATOMIC bool __nv_atomic_compare_exchange(T* place, T* expected, T* value, bool weak, int order, int failing,
                                               KS_SCOPE) {
  return __nv_atomic_compare_exchange_n(place, expected, *value, weak, order, failing);
}

#undef KS_VALUE
#undef KS_NV_ATOMIC
#undef KS_SCOPE
#endif
