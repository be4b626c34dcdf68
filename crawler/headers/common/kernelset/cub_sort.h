// Stable radix order over a block, by counting what comes before each key.
#ifndef KERNELSET_CUB_SORT_H
#define KERNELSET_CUB_SORT_H

namespace KERNELSET_CUB {

// a key's bits as an unsigned number of the same order
template <class Key>
__device__ inline unsigned long long RadixBits(Key key) {
  constexpr int bits = 8 * sizeof(Key);
  unsigned long long word = 0;
  __builtin_memcpy(&word, &key, sizeof(Key));
  constexpr unsigned long long sign = 1ull << (bits - 1);
  constexpr unsigned long long all = ~0ull >> (64 - bits);
  if constexpr (std::is_integral_v<Key>) return std::is_signed_v<Key> ? word ^ sign : word;
  return word & sign ? ~word & all : word | sign;
}

template <class Key, int X, int Items, class Value = NullType, int = 4, bool = true, int = 0, int = 0, int Y = 1,
          int Z = 1>
class BlockRadixSort {
  static constexpr int kCount = X * Y * Z * Items;
  struct Shared {
    Slots<Key, kCount> keys;
    Slots<Value, kCount> values;
  };

 public:
  struct TempStorage : Uninitialized<Shared> {};

  __device__ explicit BlockRadixSort(TempStorage& temp) : shared_(temp.Alias()), thread_(RowMajorTid(X, Y, Z)) {}
  __device__ BlockRadixSort() : shared_(own()), thread_(RowMajorTid(X, Y, Z)) {}

  __device__ void Sort(Key (&keys)[Items], int begin = 0, int end = 8 * sizeof(Key)) {
    NullType* none = nullptr;
    sort<false, false>(keys, none, begin, end);
  }
  __device__ void SortDescending(Key (&keys)[Items], int begin = 0, int end = 8 * sizeof(Key)) {
    NullType* none = nullptr;
    sort<true, false>(keys, none, begin, end);
  }
  __device__ void Sort(Key (&keys)[Items], Value (&values)[Items], int begin = 0, int end = 8 * sizeof(Key)) {
    sort<false, false>(keys, &values[0], begin, end);
  }
  __device__ void SortDescending(Key (&keys)[Items], Value (&values)[Items], int begin = 0,
                                 int end = 8 * sizeof(Key)) {
    sort<true, false>(keys, &values[0], begin, end);
  }
  __device__ void SortBlockedToStriped(Key (&keys)[Items], int begin = 0, int end = 8 * sizeof(Key)) {
    NullType* none = nullptr;
    sort<false, true>(keys, none, begin, end);
  }
  __device__ void SortBlockedToStriped(Key (&keys)[Items], Value (&values)[Items], int begin = 0,
                                       int end = 8 * sizeof(Key)) {
    sort<false, true>(keys, &values[0], begin, end);
  }
  __device__ void SortDescendingBlockedToStriped(Key (&keys)[Items], Value (&values)[Items], int begin = 0,
                                                 int end = 8 * sizeof(Key)) {
    sort<true, true>(keys, &values[0], begin, end);
  }

 private:
  __device__ static Shared& own() {
    __shared__ TempStorage temp;
    return temp.Alias();
  }
  __device__ static unsigned long long digits(Key key, int begin, int end) {
    unsigned long long bits = RadixBits(key) >> begin;
    return end - begin >= 64 ? bits : bits & ((1ull << (end - begin)) - 1);
  }

  template <bool Descending, bool Striped, class V>
  __device__ void sort(Key (&keys)[Items], V* values, int begin, int end) {
    int ranks[Items];
    for (int item = 0; item < Items; ++item) shared_.keys[thread_ * Items + item] = keys[item];
    __syncthreads();
    for (int item = 0; item < Items; ++item) {
      unsigned long long own_digits = digits(keys[item], begin, end);
      int place = thread_ * Items + item;
      ranks[item] = 0;
      for (int other = 0; other < kCount; ++other) {
        unsigned long long theirs = digits(shared_.keys[other], begin, end);
        bool before = Descending ? theirs > own_digits : theirs < own_digits;
        ranks[item] += before || (theirs == own_digits && other < place);
      }
    }
    __syncthreads();
    for (int item = 0; item < Items; ++item) {
      shared_.keys[ranks[item]] = keys[item];
      if constexpr (!std::is_same_v<V, NullType>) shared_.values[ranks[item]] = values[item];
    }
    __syncthreads();
    for (int item = 0; item < Items; ++item) {
      int from = Striped ? item * X * Y * Z + thread_ : thread_ * Items + item;
      keys[item] = shared_.keys[from];
      if constexpr (!std::is_same_v<V, NullType>) values[item] = shared_.values[from];
    }
  }

  Shared& shared_;
  int thread_;
};

}  // namespace KERNELSET_CUB

#endif
