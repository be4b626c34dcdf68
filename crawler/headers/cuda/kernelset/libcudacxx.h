// libcu++: its standard library is libstdc++'s, whose constexpr functions clang calls on both sides.
// Rule: CCCL, "libcu++: Standard API" and "Extended API". Barriers and pipelines copy at once and wait for the block.
#pragma once
#include <kernelset/cuda.cuh>

#include <array>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#define _CCCL_HOST_DEVICE __host__ __device__
#define _CCCL_DEVICE __device__
#define _CCCL_HOST __host__
#define _CCCL_FORCEINLINE __forceinline__

namespace cuda {
namespace std {
using namespace ::std;
// what is no constexpr function in C++17
template <typename T> KS_HD constexpr void swap(T &a, T &b) {
  T kept = ::std::move(a);
  a = ::std::move(b);
  b = ::std::move(kept);
}
#if __cplusplus < 202002L  // <bit>, which libcu++ has in C++17 already
template <typename T> KS_HD constexpr int popcount(T x) { return __builtin_popcountll(x); }
template <typename T> KS_HD constexpr int countl_zero(T x) {
  return x ? __builtin_clzll(x) - (64 - 8 * static_cast<int>(sizeof(T))) : 8 * static_cast<int>(sizeof(T));
}
template <typename T> KS_HD constexpr int countr_zero(T x) {
  return x ? __builtin_ctzll(x) : 8 * static_cast<int>(sizeof(T));
}
template <typename T> KS_HD constexpr bool has_single_bit(T x) { return x && !(x & (x - 1)); }
template <typename T> KS_HD constexpr int bit_width(T x) { return 8 * static_cast<int>(sizeof(T)) - countl_zero(x); }
template <typename T> KS_HD constexpr T bit_floor(T x) { return x ? T(T(1) << (bit_width(x) - 1)) : T(0); }
template <typename T> KS_HD constexpr T bit_ceil(T x) { return x <= 1 ? T(1) : T(T(1) << bit_width(T(x - 1))); }
#endif
}  // namespace std

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };
enum memory_order_word { relaxed, consume, acquire, release, acq_rel, seq_cst };
constexpr memory_order_word memory_order_relaxed = relaxed, memory_order_acquire = acquire,
                            memory_order_release = release, memory_order_acq_rel = acq_rel,
                            memory_order_seq_cst = seq_cst;

// What an atomic and a reference to one have alike, in terms of `place()`.
#define KS_ATOMIC_MEMBERS(KIND)                                                                                          \
  __device__ T load(memory_order_word = seq_cst) const { return *(volatile T *)place(); }                                \
  __device__ void store(T value, memory_order_word = seq_cst) const { *(volatile T *)place() = value; }                  \
  __device__ T fetch_add(T value, memory_order_word = seq_cst) const { return atomicAdd(place(), value); }               \
  __device__ T fetch_sub(T value, memory_order_word = seq_cst) const { return atomicAdd(place(), -value); }              \
  __device__ T fetch_min(T value, memory_order_word = seq_cst) const { return atomicMin(place(), value); }               \
  __device__ T fetch_max(T value, memory_order_word = seq_cst) const { return atomicMax(place(), value); }               \
  __device__ T fetch_and(T value, memory_order_word = seq_cst) const { return atomicAnd(place(), value); }               \
  __device__ T fetch_or(T value, memory_order_word = seq_cst) const { return atomicOr(place(), value); }                 \
  __device__ T fetch_xor(T value, memory_order_word = seq_cst) const { return atomicXor(place(), value); }               \
  __device__ T exchange(T value, memory_order_word = seq_cst) const { return atomicExch(place(), value); }               \
  __device__ bool compare_exchange_strong(T &seen, T value, memory_order_word = seq_cst,                                 \
                                          memory_order_word = seq_cst) const {                                           \
    const T found = atomicCAS(place(), seen, value);                                                                     \
    const bool same = found == seen;                                                                                     \
    seen = found;                                                                                                        \
    return same;                                                                                                         \
  }                                                                                                                      \
  __device__ bool compare_exchange_weak(T &seen, T value, memory_order_word first = seq_cst,                             \
                                        memory_order_word second = seq_cst) const {                                      \
    return compare_exchange_strong(seen, value, first, second);                                                          \
  }                                                                                                                      \
  __device__ operator T() const { return load(); }                                                                       \
  __device__ T operator=(T value) { store(value); return value; }                                                        \
  __device__ T operator=(T value) const { store(value); return value; }                                                  \
  KIND &operator=(const KIND &) = delete;                                                                                \
  __device__ T operator++() const { return fetch_add(T(1)) + T(1); }                                                     \
  __device__ T operator++(int) const { return fetch_add(T(1)); }                                                         \
  __device__ T operator--() const { return fetch_sub(T(1)) - T(1); }                                                     \
  __device__ T operator--(int) const { return fetch_sub(T(1)); }                                                         \
  __device__ T operator+=(T value) const { return fetch_add(value) + value; }                                            \
  __device__ T operator-=(T value) const { return fetch_sub(value) - value; }                                            \
  __device__ T operator&=(T value) const { return fetch_and(value) & value; }                                            \
  __device__ T operator|=(T value) const { return fetch_or(value) | value; }                                             \
  __device__ T operator^=(T value) const { return fetch_xor(value) ^ value; }                                            \
  KIND(const KIND &) = default;
template <typename T, thread_scope Scope = thread_scope_system> struct atomic_ref {
  __device__ explicit atomic_ref(T &value) : address(&value) {}
  KS_ATOMIC_MEMBERS(atomic_ref)
 private:
  __device__ T *place() const { return address; }
  T *address;
};
// it is as large as what it holds, and shared memory may hold one: it is not initialised by itself
template <typename T, thread_scope Scope = thread_scope_system> struct atomic {
  atomic() = default;
  KS_HD constexpr atomic(T value) : value(value) {}
  KS_ATOMIC_MEMBERS(atomic)
 private:
  __device__ T *place() const { return &value; }
  mutable T value;
};
#undef KS_ATOMIC_MEMBERS
namespace std {
using ::cuda::memory_order_acq_rel;
using ::cuda::memory_order_acquire;
using ::cuda::memory_order_relaxed;
using ::cuda::memory_order_release;
using ::cuda::memory_order_seq_cst;
template <typename T> using atomic = ::cuda::atomic<T>;
template <typename T> using atomic_ref = ::cuda::atomic_ref<T>;
}  // namespace std
KS_D void atomic_thread_fence(memory_order_word, thread_scope scope = thread_scope_system) {
  if (scope == thread_scope_block) __threadfence_block();
  else if (scope == thread_scope_device) __threadfence();
  else __threadfence_system();
}

template <thread_scope Scope = thread_scope_system> struct barrier {
  struct arrival_token {};
  __device__ arrival_token arrive(long = 1) { return {}; }
  __device__ void wait(arrival_token &&) { __syncthreads(); }
  __device__ void arrive_and_wait() { __syncthreads(); }
};
template <thread_scope Scope> __device__ void init(barrier<Scope> *, long) {}
template <typename T, typename Size, typename Sync> __device__ void memcpy_async(T *to, const T *from, Size bytes, Sync &) {
  __builtin_memcpy(to, from, static_cast<size_t>(bytes));
}
template <typename Group, typename T, typename Size, typename Sync>
__device__ void memcpy_async(const Group &group, T *to, const T *from, Size bytes, Sync &) {
  using Element = ::std::conditional_t<::std::is_void<T>::value, char, T>;
  const size_t count = static_cast<size_t>(bytes) / sizeof(Element);
  for (size_t at = group.thread_rank(); at < count; at += group.size())
    static_cast<Element *>(to)[at] = static_cast<const Element *>(from)[at];
}
template <size_t Alignment> struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  KS_HD constexpr explicit aligned_size_t(size_t bytes) : value(bytes) {}
  KS_HD constexpr operator size_t() const { return value; }
};

template <typename T = void> struct maximum { KS_HD T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
template <typename T = void> struct minimum { KS_HD T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
template <> struct maximum<void> {
  template <typename A, typename B> KS_HD auto operator()(const A &a, const B &b) const { return a < b ? b : a; }
};
template <> struct minimum<void> {
  template <typename A, typename B> KS_HD auto operator()(const A &a, const B &b) const { return b < a ? b : a; }
};
template <typename A, typename B> KS_HD constexpr auto ceil_div(A a, B b) { return (a + b - 1) / b; }
}  // namespace cuda
#include <kernelset/pipeline.h>
#include <kernelset/ptx.h>
