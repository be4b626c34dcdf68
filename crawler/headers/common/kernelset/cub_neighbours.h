// What a block's threads learn of each other's items: differences, borders, counts by bin.
#ifndef KERNELSET_CUB_NEIGHBOURS_H
#define KERNELSET_CUB_NEIGHBOURS_H

namespace KERNELSET_CUB {

// the last item of the thread before, and the first of the thread after, through shared memory
template <class T, int Threads>
struct Borders {
  Slots<T, Threads> first;
  Slots<T, Threads> last;
};

template <class T, int X, int Y = 1, int Z = 1, int = 0>
class BlockAdjacentDifference {
  static constexpr int kThreads = X * Y * Z;

 public:
  struct TempStorage : Uninitialized<Borders<T, kThreads>> {};

  __device__ explicit BlockAdjacentDifference(TempStorage& temp) : shared_(temp.Alias()), thread_(RowMajorTid(X, Y, Z)) {}

  template <int Items, class Out, class Op>
  __device__ void SubtractLeft(T (&input)[Items], Out (&output)[Items], Op op) {
    share(input);
    T before = thread_ == 0 ? input[0] : shared_.last[thread_ - 1];
#pragma unroll
    for (int item = Items - 1; item > 0; --item) output[item] = op(input[item], input[item - 1]);
    output[0] = thread_ == 0 ? static_cast<Out>(input[0]) : static_cast<Out>(op(input[0], before));
  }
  template <int Items, class Out, class Op>
  __device__ void SubtractRight(T (&input)[Items], Out (&output)[Items], Op op) {
    share(input);
    T after = thread_ == kThreads - 1 ? input[Items - 1] : shared_.first[thread_ + 1];
    T last = input[Items - 1];
#pragma unroll
    for (int item = 0; item < Items - 1; ++item) output[item] = op(input[item], input[item + 1]);
    output[Items - 1] = thread_ == kThreads - 1 ? static_cast<Out>(last) : static_cast<Out>(op(last, after));
  }

 private:
  template <int Items>
  __device__ void share(T (&input)[Items]) {
    shared_.first[thread_] = input[0];
    shared_.last[thread_] = input[Items - 1];
    __syncthreads();
  }

  Borders<T, kThreads>& shared_;
  int thread_;
};

// flags where a run begins or ends; the block's first head and last tail are always flagged
template <class T, int X, int Y = 1, int Z = 1, int = 0>
class BlockDiscontinuity {
  static constexpr int kThreads = X * Y * Z;

 public:
  struct TempStorage : Uninitialized<Borders<T, kThreads>> {};

  __device__ explicit BlockDiscontinuity(TempStorage& temp) : shared_(temp.Alias()), thread_(RowMajorTid(X, Y, Z)) {}

  template <int Items, class Flag, class Op>
  __device__ void FlagHeads(Flag (&heads)[Items], T (&input)[Items], Op op) {
    share(input);
#pragma unroll
    for (int item = 1; item < Items; ++item) heads[item] = op(input[item - 1], input[item]);
    heads[0] = thread_ == 0 ? Flag(1) : Flag(op(shared_.last[thread_ - 1], input[0]));
  }
  template <int Items, class Flag, class Op>
  __device__ void FlagTails(Flag (&tails)[Items], T (&input)[Items], Op op) {
    share(input);
#pragma unroll
    for (int item = 0; item < Items - 1; ++item) tails[item] = op(input[item], input[item + 1]);
    tails[Items - 1] = thread_ == kThreads - 1 ? Flag(1) : Flag(op(input[Items - 1], shared_.first[thread_ + 1]));
  }

 private:
  template <int Items>
  __device__ void share(T (&input)[Items]) {
    shared_.first[thread_] = input[0];
    shared_.last[thread_] = input[Items - 1];
    __syncthreads();
  }

  Borders<T, kThreads>& shared_;
  int thread_;
};

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int X, int Items, int Bins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int = 0>
class BlockHistogram {
 public:
  struct TempStorage : Uninitialized<NullType> {};

  __device__ explicit BlockHistogram(TempStorage&) : thread_(RowMajorTid(X, Y, Z)) {}

  template <class Counter>
  __device__ void InitHistogram(Counter (&histogram)[Bins]) {
    for (int bin = thread_; bin < Bins; bin += X * Y * Z) histogram[bin] = Counter(0);
  }
  template <class Counter>
  __device__ void Composite(T (&items)[Items], Counter (&histogram)[Bins]) {
    __syncthreads();
#pragma unroll
    for (int item = 0; item < Items; ++item) atomicAdd(&histogram[items[item]], Counter(1));
    __syncthreads();
  }
  template <class Counter>
  __device__ void Histogram(T (&items)[Items], Counter (&histogram)[Bins]) {
    InitHistogram(histogram);
    Composite(items, histogram);
  }

 private:
  int thread_;
};

}  // namespace KERNELSET_CUB

#endif
