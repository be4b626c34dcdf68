// Groups of threads. Rule: CUDA C++ Programming Guide, "Cooperative Groups".
#pragma once
#include <kernelset/cuda.cuh>

namespace cooperative_groups {

struct thread_block {
  KS_D dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  KS_D dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  KS_D dim3 dim_threads() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  KS_D dim3 group_dim() { return dim_threads(); }
  KS_D unsigned int thread_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
  KS_D unsigned int size() { return blockDim.x * blockDim.y * blockDim.z; }
  KS_D unsigned int num_threads() { return size(); }
  KS_D void sync() { __syncthreads(); }
};
KS_D thread_block this_thread_block() { return thread_block{}; }

struct thread_group {
  unsigned int mask, rank, count;
  __device__ __forceinline__ unsigned int thread_rank() const { return rank; }
  __device__ __forceinline__ unsigned int size() const { return count; }
  __device__ __forceinline__ unsigned int num_threads() const { return count; }
  __device__ __forceinline__ void sync() const { __syncwarp(mask); }
};

namespace detail {
KS_D unsigned int lane() { return this_thread_block().thread_rank() & 31u; }
}

struct coalesced_group : thread_group {
  template <typename T> __device__ T shfl(T v, int source) const {
    return __shfl_sync(mask, v, (int)__fns(mask, 0, source + 1));
  }
  __device__ int any(int p) const { return (__ballot_sync(mask, p) & mask) != 0; }
  __device__ int all(int p) const { return (__ballot_sync(mask, p) & mask) == mask; }
  __device__ unsigned int ballot(int p) const { return __ballot_sync(mask, p); }
};
KS_D coalesced_group coalesced_threads() {
  const unsigned int mask = __activemask();
  coalesced_group g;
  g.mask = mask;
  g.rank = __popc(mask & ((1u << detail::lane()) - 1u));
  g.count = __popc(mask);
  return g;
}

template <unsigned int Size, typename Parent = thread_block> struct thread_block_tile {
  __device__ __forceinline__ static constexpr unsigned int size() { return Size; }
  __device__ __forceinline__ static constexpr unsigned int num_threads() { return Size; }
  __device__ __forceinline__ unsigned int thread_rank() const { return this_thread_block().thread_rank() % Size; }
  __device__ __forceinline__ unsigned int meta_group_rank() const { return this_thread_block().thread_rank() / Size; }
  __device__ __forceinline__ unsigned int meta_group_size() const { return (this_thread_block().size() + Size - 1) / Size; }
  __device__ __forceinline__ unsigned int mask() const {
    return Size == 32 ? 0xffffffffu : ((1u << (Size % 32)) - 1u) << (detail::lane() / Size * Size);
  }
  __device__ __forceinline__ void sync() const { __syncwarp(mask()); }
  template <typename T> __device__ T shfl(T v, int source) const { return __shfl_sync(mask(), v, source, Size); }
  template <typename T> __device__ T shfl_up(T v, unsigned int delta) const { return __shfl_up_sync(mask(), v, delta, Size); }
  template <typename T> __device__ T shfl_down(T v, unsigned int delta) const { return __shfl_down_sync(mask(), v, delta, Size); }
  template <typename T> __device__ T shfl_xor(T v, int lanes) const { return __shfl_xor_sync(mask(), v, lanes, Size); }
  __device__ unsigned int ballot(int p) const {
    return (__ballot_sync(mask(), p) & mask()) >> (detail::lane() / Size * Size);
  }
  __device__ int any(int p) const { return ballot(p) != 0; }
  __device__ int all(int p) const { return ballot(!p) == 0; }
  template <typename T> __device__ unsigned int match_any(T v) const { return __match_any_sync(mask(), v); }
};
template <unsigned int Size, typename Parent> __device__ thread_block_tile<Size, Parent> tiled_partition(const Parent &) {
  return {};
}
template <typename Parent> __device__ thread_group tiled_partition(const Parent &, unsigned int size) {
  const unsigned int rank = this_thread_block().thread_rank();
  return thread_group{size == 32 ? ~0u : ((1u << size) - 1u) << ((rank & 31u) / size * size), rank % size, size};
}
template <typename Parent> __device__ coalesced_group binary_partition(const Parent &, bool p) {
  coalesced_group g = coalesced_threads();
  const unsigned int with = __ballot_sync(g.mask, p);
  g.mask = p ? with : g.mask & ~with;
  g.rank = __popc(g.mask & ((1u << detail::lane()) - 1u));
  g.count = __popc(g.mask);
  return g;
}

struct grid_group {
  __device__ bool is_valid() const { return true; }
  __device__ void sync() const { __syncthreads(); }
  __device__ unsigned long long thread_rank() const {
    const unsigned long long block = blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    return block * this_thread_block().size() + this_thread_block().thread_rank();
  }
  __device__ unsigned long long size() const {
    return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * this_thread_block().size();
  }
  __device__ dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
};
KS_D grid_group this_grid() { return grid_group{}; }

template <typename Group> __device__ void sync(const Group &g) { g.sync(); }

template <typename T> struct plus { KS_HD T operator()(T a, T b) const { return a + b; } };
template <typename T> struct less { KS_HD T operator()(T a, T b) const { return b < a ? b : a; } };
template <typename T> struct greater { KS_HD T operator()(T a, T b) const { return a < b ? b : a; } };
template <typename T> struct bit_and { KS_HD T operator()(T a, T b) const { return a & b; } };
template <typename T> struct bit_or { KS_HD T operator()(T a, T b) const { return a | b; } };
template <typename Group, typename T, typename Op> __device__ T reduce(const Group &g, T v, Op op) {
  for (unsigned int delta = g.size() / 2; delta > 0; delta /= 2) v = op(v, g.shfl_xor(v, (int)delta));
  return v;
}
template <typename Group, typename T, typename Op> __device__ T inclusive_scan(const Group &g, T v, Op op) {
  for (unsigned int delta = 1; delta < g.size(); delta *= 2) {
    T below = g.shfl_up(v, delta);
    if (g.thread_rank() >= delta) v = op(below, v);
  }
  return v;
}
template <typename Group, typename T> __device__ T inclusive_scan(const Group &g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <typename Group, typename T> __device__ T exclusive_scan(const Group &g, T v) { return inclusive_scan(g, v) - v; }
template <typename Group, typename T> __device__ void memcpy_async(const Group &g, T *to, const T *from, size_t bytes) {
  for (size_t i = g.thread_rank(); i < bytes / sizeof(T); i += g.size()) to[i] = from[i];
}
template <typename Group> __device__ void wait(const Group &g) { g.sync(); }
template <unsigned int N, typename Group> __device__ void wait_prior(const Group &g) { g.sync(); }

}  // namespace cooperative_groups
