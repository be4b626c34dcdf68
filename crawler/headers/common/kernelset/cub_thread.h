// Functors, pairs, iterators and the storage that blocks share. The namespace is KERNELSET_CUB: cub or hipcub.
#ifndef KERNELSET_CUB_THREAD_H
#define KERNELSET_CUB_THREAD_H

#include <iterator>

#define KERNELSET_BOTH __host__ __device__ inline

namespace KERNELSET_CUB {

struct NullType {};

struct Sum {
  template <class T>
  KERNELSET_BOTH T operator()(const T& a, const T& b) const {
    return a + b;
  }
};
struct Difference {
  template <class T>
  KERNELSET_BOTH T operator()(const T& a, const T& b) const {
    return a - b;
  }
};
struct Max {
  template <class T>
  KERNELSET_BOTH T operator()(const T& a, const T& b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T>
  KERNELSET_BOTH T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
struct Equality {
  template <class T>
  KERNELSET_BOTH bool operator()(const T& a, const T& b) const {
    return a == b;
  }
};
struct Inequality {
  template <class T>
  KERNELSET_BOTH bool operator()(const T& a, const T& b) const {
    return a != b;
  }
};

template <class K, class V>
struct KeyValuePair {
  using Key = K;
  using Value = V;
  K key;
  V value;
  KeyValuePair() = default;
  KERNELSET_BOTH KeyValuePair(const K& key, const V& value) : key(key), value(value) {}
  KERNELSET_BOTH bool operator!=(const KeyValuePair& other) const { return key != other.key || value != other.value; }
};

// of equal values the lower key
struct ArgMax {
  template <class K, class V>
  KERNELSET_BOTH KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class V>
  KERNELSET_BOTH KeyValuePair<K, V> operator()(const KeyValuePair<K, V>& a, const KeyValuePair<K, V>& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

template <class T>
struct Uninitialized {
  alignas(T) unsigned char storage[sizeof(T)];
  __device__ T& Alias() { return reinterpret_cast<T&>(*this); }
};

enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

template <CacheLoadModifier, class Iterator>
__device__ inline typename std::iterator_traits<Iterator>::value_type ThreadLoad(Iterator at) {
  return *at;
}
template <CacheStoreModifier, class Iterator, class T>
__device__ inline void ThreadStore(Iterator at, T value) {
  *at = value;
}

template <int Length, class T, class Op>
__device__ inline T ThreadReduce(T (&items)[Length], Op op) {
  T total = items[0];
#pragma unroll
  for (int item = 1; item < Length; ++item) total = op(total, items[item]);
  return total;
}

template <class T>
struct CountingInputIterator {
  T first;
  using value_type = T;
  using reference = T;
  using pointer = T*;
  using difference_type = ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  KERNELSET_BOTH CountingInputIterator(T first) : first(first) {}
  KERNELSET_BOTH T operator*() const { return first; }
  KERNELSET_BOTH T operator[](difference_type at) const { return first + static_cast<T>(at); }
  KERNELSET_BOTH CountingInputIterator operator+(difference_type by) const { return first + static_cast<T>(by); }
};

template <class T, class Apply, class Iterator>
struct TransformInputIterator {
  Iterator from;
  Apply apply;
  using value_type = T;
  using reference = T;
  using pointer = T*;
  using difference_type = ptrdiff_t;
  using iterator_category = std::random_access_iterator_tag;
  KERNELSET_BOTH TransformInputIterator(Iterator from, Apply apply) : from(from), apply(apply) {}
  KERNELSET_BOTH T operator*() const { return apply(*from); }
  KERNELSET_BOTH T operator[](difference_type at) const { return apply(from[at]); }
  KERNELSET_BOTH TransformInputIterator operator+(difference_type by) const { return {from + by, apply}; }
};

__device__ inline unsigned LaneId() { return kernelset::lane_id(); }
__device__ inline int RowMajorTid(int x, int y, int) {
  return (static_cast<int>(threadIdx.z) * y + static_cast<int>(threadIdx.y)) * x + static_cast<int>(threadIdx.x);
}
__device__ inline void CTA_SYNC() { __syncthreads(); }
__device__ inline void WARP_SYNC(unsigned mask) { __syncwarp(mask); }

// room for a value of each thread of a block, without running constructors
template <class T, int Count>
struct Slots {
  alignas(T) unsigned char storage[sizeof(T) * Count];
  __device__ T& operator[](int at) { return reinterpret_cast<T*>(storage)[at]; }
};

}  // namespace KERNELSET_CUB

#endif
