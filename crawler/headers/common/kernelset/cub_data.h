// Moving items between memory and a block's threads.
#ifndef KERNELSET_CUB_DATA_H
#define KERNELSET_CUB_DATA_H

namespace KERNELSET_CUB {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <int Items, class T, class Iterator>
__device__ inline void LoadDirectBlocked(int thread, Iterator from, T (&items)[Items]) {
#pragma unroll
  for (int item = 0; item < Items; ++item) items[item] = from[thread * Items + item];
}
template <int Items, class T, class Iterator>
__device__ inline void StoreDirectBlocked(int thread, Iterator to, T (&items)[Items]) {
#pragma unroll
  for (int item = 0; item < Items; ++item) to[thread * Items + item] = items[item];
}
template <int Threads, int Items, class T, class Iterator>
__device__ inline void LoadDirectStriped(int thread, Iterator from, T (&items)[Items]) {
#pragma unroll
  for (int item = 0; item < Items; ++item) items[item] = from[item * Threads + thread];
}
template <int Threads, int Items, class T, class Iterator>
__device__ inline void StoreDirectStriped(int thread, Iterator to, T (&items)[Items]) {
#pragma unroll
  for (int item = 0; item < Items; ++item) to[item * Threads + thread] = items[item];
}

template <class T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockLoad {
 public:
  struct TempStorage : Uninitialized<NullType> {};

  __device__ BlockLoad() : thread_(RowMajorTid(X, Y, Z)) {}
  __device__ explicit BlockLoad(TempStorage&) : BlockLoad() {}

  template <class Iterator>
  __device__ void Load(Iterator from, T (&items)[Items]) {
#pragma unroll
    for (int item = 0; item < Items; ++item) items[item] = from[place(item)];
  }
  template <class Iterator>
  __device__ void Load(Iterator from, T (&items)[Items], int valid) {
#pragma unroll
    for (int item = 0; item < Items; ++item) {
      if (place(item) < valid) items[item] = from[place(item)];
    }
  }
  template <class Iterator, class Default>
  __device__ void Load(Iterator from, T (&items)[Items], int valid, Default otherwise) {
#pragma unroll
    for (int item = 0; item < Items; ++item) {
      items[item] = place(item) < valid ? static_cast<T>(from[place(item)]) : static_cast<T>(otherwise);
    }
  }

 private:
  __device__ int place(int item) const {
    return Algorithm == BLOCK_LOAD_STRIPED ? item * X * Y * Z + thread_ : thread_ * Items + item;
  }

  int thread_;
};

template <class T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int = 0>
class BlockStore {
 public:
  struct TempStorage : Uninitialized<NullType> {};

  __device__ BlockStore() : thread_(RowMajorTid(X, Y, Z)) {}
  __device__ explicit BlockStore(TempStorage&) : BlockStore() {}

  template <class Iterator>
  __device__ void Store(Iterator to, T (&items)[Items]) {
#pragma unroll
    for (int item = 0; item < Items; ++item) to[place(item)] = items[item];
  }
  template <class Iterator>
  __device__ void Store(Iterator to, T (&items)[Items], int valid) {
#pragma unroll
    for (int item = 0; item < Items; ++item) {
      if (place(item) < valid) to[place(item)] = items[item];
    }
  }

 private:
  __device__ int place(int item) const {
    return Algorithm == BLOCK_STORE_STRIPED ? item * X * Y * Z + thread_ : thread_ * Items + item;
  }

  int thread_;
};

template <class T, int X, int Items, bool = false, int Y = 1, int Z = 1, int = 0>
class BlockExchange {
  using Shared = Slots<T, X * Y * Z * Items>;

 public:
  struct TempStorage : Uninitialized<Shared> {};

  __device__ explicit BlockExchange(TempStorage& temp) : slots_(temp.Alias()), thread_(RowMajorTid(X, Y, Z)) {}
  __device__ BlockExchange() : slots_(own()), thread_(RowMajorTid(X, Y, Z)) {}

  template <class Out>
  __device__ void StripedToBlocked(T (&input)[Items], Out (&output)[Items]) {
    move(input, output, [this](int item) { return striped(item); }, [this](int item) { return blocked(item); });
  }
  template <class Out>
  __device__ void BlockedToStriped(T (&input)[Items], Out (&output)[Items]) {
    move(input, output, [this](int item) { return blocked(item); }, [this](int item) { return striped(item); });
  }
  template <class Out, class Rank>
  __device__ void ScatterToBlocked(T (&input)[Items], Out (&output)[Items], Rank (&ranks)[Items]) {
    move(input, output, [&](int item) { return static_cast<int>(ranks[item]); }, [this](int item) { return blocked(item); });
  }
  template <class Out, class Rank>
  __device__ void ScatterToStriped(T (&input)[Items], Out (&output)[Items], Rank (&ranks)[Items]) {
    move(input, output, [&](int item) { return static_cast<int>(ranks[item]); }, [this](int item) { return striped(item); });
  }
  __device__ void StripedToBlocked(T (&items)[Items]) { StripedToBlocked(items, items); }
  __device__ void BlockedToStriped(T (&items)[Items]) { BlockedToStriped(items, items); }

 private:
  __device__ static Shared& own() {
    __shared__ TempStorage temp;
    return temp.Alias();
  }
  __device__ int striped(int item) const { return item * X * Y * Z + thread_; }
  __device__ int blocked(int item) const { return thread_ * Items + item; }
  template <class Out, class To, class From>
  __device__ void move(T (&input)[Items], Out (&output)[Items], To to, From from) {
#pragma unroll
    for (int item = 0; item < Items; ++item) slots_[to(item)] = input[item];
    __syncthreads();
#pragma unroll
    for (int item = 0; item < Items; ++item) output[item] = slots_[from(item)];
  }

  Shared& slots_;
  int thread_;
};

}  // namespace KERNELSET_CUB

#endif
