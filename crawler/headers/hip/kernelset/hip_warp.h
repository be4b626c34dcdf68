// Warp intrinsics with CUDA's meaning: 32 lanes, 32-bit masks, on hardware of either width.
#ifndef KERNELSET_HIP_WARP_H
#define KERNELSET_HIP_WARP_H

namespace kernelset {

__device__ inline unsigned lane_id() { return __lane_id() & 31u; }

// the half of the hardware's vote that belongs to this logical warp
__device__ inline unsigned own_half(unsigned long long vote) {
  return static_cast<unsigned>(vote >> (__lane_id() & 32u));
}

__device__ inline unsigned active_mask() { return own_half(__ballot(1)); }

// moves any trivially copyable value between lanes, word by word
template <class T, class Move>
__device__ inline T move_words(T value, Move move) {
  constexpr int words = (sizeof(T) + 3) / 4;
  int buffer[words] = {};
  __builtin_memcpy(buffer, &value, sizeof(T));
#pragma unroll
  for (int word = 0; word < words; ++word) buffer[word] = move(buffer[word]);
  __builtin_memcpy(&value, buffer, sizeof(T));
  return value;
}

template <class T, class Combine>
__device__ inline T reduce_members(unsigned mask, T value, Combine combine) {
  unsigned members = mask & active_mask();
  int first = __ffs(static_cast<int>(members)) - 1;
  T total = __shfl(value, first, 32);
  for (members &= members - 1; members; members &= members - 1) {
    total = combine(total, __shfl(value, __ffs(static_cast<int>(members)) - 1, 32));
  }
  return total;
}

}  // namespace kernelset

template <class T>
__device__ inline T __shfl_sync(unsigned, T value, int lane, int width = 32) {
  return kernelset::move_words(value, [=](int word) { return __shfl(word, lane, width); });
}

template <class T>
__device__ inline T __shfl_up_sync(unsigned, T value, unsigned delta, int width = 32) {
  return kernelset::move_words(value, [=](int word) { return __shfl_up(word, delta, width); });
}

template <class T>
__device__ inline T __shfl_down_sync(unsigned, T value, unsigned delta, int width = 32) {
  return kernelset::move_words(value, [=](int word) { return __shfl_down(word, delta, width); });
}

template <class T>
__device__ inline T __shfl_xor_sync(unsigned, T value, int lane_mask, int width = 32) {
  return kernelset::move_words(value, [=](int word) { return __shfl_xor(word, lane_mask, width); });
}

KERNELSET_FILL unsigned __activemask() { return kernelset::active_mask(); }

KERNELSET_FILL unsigned __ballot_sync(unsigned mask, int predicate) {
  return kernelset::own_half(__ballot(predicate)) & mask;
}

KERNELSET_FILL int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }

KERNELSET_FILL int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }

KERNELSET_FILL int __uni_sync(unsigned mask, int predicate) {
  return __any_sync(mask, predicate) == __all_sync(mask, predicate);
}

KERNELSET_FILL void __syncwarp(unsigned = 0xffffffffu) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

template <class T>
__device__ inline unsigned __match_any_sync(unsigned mask, T value) {
  unsigned members = mask & kernelset::active_mask();
  unsigned equal = 0;
  for (unsigned rest = members; rest; rest &= rest - 1) {
    int lane = __ffs(static_cast<int>(rest)) - 1;
    equal |= static_cast<unsigned>(__shfl_sync(members, value, lane) == value) << lane;
  }
  return equal;
}

template <class T>
__device__ inline unsigned __match_all_sync(unsigned mask, T value, int* predicate) {
  unsigned members = mask & kernelset::active_mask();
  int first = __ffs(static_cast<int>(members)) - 1;
  *predicate = __all_sync(members, __shfl_sync(members, value, first) == value);
  return *predicate ? members : 0u;
}

template <class T>
__device__ inline T __reduce_add_sync(unsigned mask, T value) {
  return kernelset::reduce_members(mask, value, [](T a, T b) { return a + b; });
}

template <class T>
__device__ inline T __reduce_min_sync(unsigned mask, T value) {
  return kernelset::reduce_members(mask, value, [](T a, T b) { return a < b ? a : b; });
}

template <class T>
__device__ inline T __reduce_max_sync(unsigned mask, T value) {
  return kernelset::reduce_members(mask, value, [](T a, T b) { return a > b ? a : b; });
}

template <class T>
__device__ inline T __reduce_and_sync(unsigned mask, T value) {
  return kernelset::reduce_members(mask, value, [](T a, T b) { return a & b; });
}

template <class T>
__device__ inline T __reduce_or_sync(unsigned mask, T value) {
  return kernelset::reduce_members(mask, value, [](T a, T b) { return a | b; });
}

template <class T>
__device__ inline T __reduce_xor_sync(unsigned mask, T value) {
  return kernelset::reduce_members(mask, value, [](T a, T b) { return a ^ b; });
}

// the forms without a mask, for the types that HIP's own lack
KERNELSET_FILL __half __shfl(__half value, int lane, int width = 32) { return __shfl_sync(~0u, value, lane, width); }
KERNELSET_FILL __half __shfl_up(__half value, unsigned delta, int width = 32) {
  return __shfl_up_sync(~0u, value, delta, width);
}
KERNELSET_FILL __half __shfl_down(__half value, unsigned delta, int width = 32) {
  return __shfl_down_sync(~0u, value, delta, width);
}
KERNELSET_FILL __half __shfl_xor(__half value, int lane_mask, int width = 32) {
  return __shfl_xor_sync(~0u, value, lane_mask, width);
}

#endif
