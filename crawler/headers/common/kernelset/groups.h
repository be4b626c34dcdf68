// Cooperative groups with 32-lane warps, one text for both dialects: the includer has the `_sync` shuffles,
// `kernelset::lane_id()`, `kernelset::active_mask()` and KERNELSET_GRID_SYNC.
// Rule: CUDA C++ Programming Guide, "Cooperative Groups".
#ifndef KERNELSET_GROUPS_H
#define KERNELSET_GROUPS_H
#include <kernelset/words.h>

namespace cooperative_groups {

__device__ inline unsigned block_rank() {
  return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}
__device__ inline unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

class thread_block {
 public:
  __device__ static void sync() { __syncthreads(); }
  __device__ static unsigned thread_rank() { return block_rank(); }
  __device__ static unsigned size() { return block_size(); }
  __device__ static unsigned num_threads() { return block_size(); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ static dim3 dim_threads() { return group_dim(); }
  __device__ static bool is_valid() { return true; }
};
__device__ inline thread_block this_thread_block() { return {}; }
// what tiles of more than a warp keep in shared memory
template <unsigned First = 1024, unsigned Second = 1024>
struct block_tile_memory {
  char reserved[8];
};
template <unsigned First, unsigned Second>
__device__ inline thread_block this_thread_block(block_tile_memory<First, Second>&) {
  return {};
}

class grid_group {
 public:
  __device__ static void sync() { KERNELSET_GRID_SYNC; }
  __device__ static bool is_valid() { return true; }
  __device__ static unsigned long long block_rank() {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  __device__ static unsigned long long num_blocks() {
    return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z;
  }
  __device__ static unsigned long long thread_rank() {
    return block_rank() * block_size() + cooperative_groups::block_rank();
  }
  __device__ static unsigned long long size() { return num_blocks() * block_size(); }
  __device__ static unsigned long long num_threads() { return size(); }
  __device__ static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ static dim3 dim_blocks() { return group_dim(); }
  __device__ static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
__device__ inline grid_group this_grid() { return {}; }

// lanes of one logical warp: the members' mask, and what they can do together
class coalesced_group {
 public:
  __device__ explicit coalesced_group(unsigned mask) : mask_(mask) {}
  __device__ void sync() const { __syncwarp(mask_); }
  __device__ unsigned size() const { return __popc(mask_); }
  __device__ unsigned num_threads() const { return size(); }
  __device__ unsigned thread_rank() const { return __popc(mask_ & ((1u << kernelset::lane_id()) - 1u)); }
  __device__ unsigned meta_group_rank() const { return 0; }
  __device__ unsigned meta_group_size() const { return 1; }
  __device__ bool is_valid() const { return true; }
  __device__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  __device__ unsigned ballot(int predicate) const { return packed(__ballot_sync(mask_, predicate)); }
  template <class T>
  __device__ unsigned match_any(T value) const {
    return packed(__match_any_sync(mask_, value));
  }
  template <class T>
  __device__ T shfl(T value, int rank) const {
    return __shfl_sync(mask_, value, lane_of(rank));
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    int from = static_cast<int>(thread_rank()) - static_cast<int>(delta);
    return __shfl_sync(mask_, value, from < 0 ? static_cast<int>(kernelset::lane_id()) : lane_of(from));
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    unsigned from = thread_rank() + delta;
    return __shfl_sync(mask_, value, from >= size() ? static_cast<int>(kernelset::lane_id()) : lane_of(from));
  }

 private:
  __device__ int lane_of(int rank) const {
    unsigned rest = mask_;
    for (; rank > 0; --rank) rest &= rest - 1;
    return __ffs(static_cast<int>(rest)) - 1;
  }
  // the members' bits of a lane mask, side by side
  __device__ unsigned packed(unsigned lanes) const {
    unsigned result = 0;
    unsigned place = 0;
    for (unsigned rest = mask_; rest; rest &= rest - 1, ++place) {
      result |= ((lanes & rest & (0u - rest)) != 0) << place;
    }
    return result;
  }

  unsigned mask_;
};
__device__ inline coalesced_group coalesced_threads() { return coalesced_group(kernelset::active_mask()); }

template <unsigned Size, class Parent = void>
class thread_block_tile {
 public:
  __device__ thread_block_tile() = default;
  template <class Other>
  __device__ thread_block_tile(const thread_block_tile<Size, Other>&) {}

  __device__ static void sync() { Size <= 32 ? __syncwarp() : __syncthreads(); }
  __device__ static constexpr unsigned size() { return Size; }
  __device__ static constexpr unsigned num_threads() { return Size; }
  __device__ static unsigned thread_rank() { return block_rank() % Size; }
  __device__ static unsigned meta_group_rank() { return block_rank() / Size; }
  __device__ static unsigned meta_group_size() { return (block_size() + Size - 1) / Size; }
  __device__ static bool is_valid() { return true; }

  __device__ int any(int predicate) const { return __any_sync(mask(), predicate); }
  __device__ int all(int predicate) const { return __all_sync(mask(), predicate); }
  __device__ unsigned ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> first(); }
  template <class T>
  __device__ unsigned match_any(T value) const {
    return __match_any_sync(mask(), value) >> first();
  }
  template <class T>
  __device__ unsigned match_all(T value, int& predicate) const {
    return __match_all_sync(mask(), value, &predicate) >> first();
  }
  template <class T>
  __device__ T shfl(T value, int rank) const {
    return kernelset::by_words(value, [=](auto word) { return __shfl_sync(mask(), word, rank, Size); });
  }
  template <class T>
  __device__ T shfl_up(T value, unsigned delta) const {
    return kernelset::by_words(value, [=](auto word) { return __shfl_up_sync(mask(), word, delta, Size); });
  }
  template <class T>
  __device__ T shfl_down(T value, unsigned delta) const {
    return kernelset::by_words(value, [=](auto word) { return __shfl_down_sync(mask(), word, delta, Size); });
  }
  template <class T>
  __device__ T shfl_xor(T value, unsigned lane_mask) const {
    int lanes = static_cast<int>(lane_mask);
    return kernelset::by_words(value, [=](auto word) { return __shfl_xor_sync(mask(), word, lanes, Size); });
  }

 private:
  __device__ static unsigned first() { return kernelset::lane_id() & ~(Size - 1); }
  __device__ static unsigned mask() { return Size >= 32 ? ~0u : ((1u << (Size & 31u)) - 1u) << first(); }
};

// any group, when its kind is known at run time only
class thread_group {
 public:
  __device__ thread_group(const thread_block&) : size_(block_size()), rank_(block_rank()), block_(true) {}
  __device__ thread_group(const coalesced_group& group)
      : size_(group.size()), rank_(group.thread_rank()), block_(false) {}
  template <unsigned Size, class Parent>
  __device__ thread_group(const thread_block_tile<Size, Parent>& tile)
      : size_(Size), rank_(tile.thread_rank()), block_(false) {}
  __device__ thread_group(unsigned size, unsigned rank) : size_(size), rank_(rank), block_(false) {}
  __device__ void sync() const { block_ ? __syncthreads() : __syncwarp(); }
  __device__ unsigned size() const { return size_; }
  __device__ unsigned num_threads() const { return size_; }
  __device__ unsigned thread_rank() const { return rank_; }
  __device__ bool is_valid() const { return true; }

 private:
  unsigned size_;
  unsigned rank_;
  bool block_;
};

template <unsigned Size, class Parent>
__device__ inline thread_block_tile<Size, Parent> tiled_partition(const Parent&) {
  return {};
}
__device__ inline thread_group tiled_partition(const thread_group& parent, unsigned size) {
  return {size, parent.thread_rank() % size};
}
template <class Group>
__device__ inline coalesced_group labeled_partition(const Group&, int label) {
  return coalesced_group(__match_any_sync(kernelset::active_mask(), label));
}
template <class Group>
__device__ inline coalesced_group binary_partition(const Group&, bool side) {
  unsigned yes = __ballot_sync(kernelset::active_mask(), side);
  return coalesced_group(side ? yes : kernelset::active_mask() & ~yes);
}

template <class Group>
__device__ inline void sync(const Group& group) {
  group.sync();
}
template <class Group>
__device__ inline unsigned thread_rank(const Group& group) {
  return static_cast<unsigned>(group.thread_rank());
}
template <class Group>
__device__ inline unsigned group_size(const Group& group) {
  return static_cast<unsigned>(group.size());
}

namespace experimental {
using namespace cooperative_groups;
}

}  // namespace cooperative_groups

#endif
