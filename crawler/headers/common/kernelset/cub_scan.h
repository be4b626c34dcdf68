// Prefix scans over a block, in the threads' order.
#ifndef KERNELSET_CUB_SCAN_H
#define KERNELSET_CUB_SCAN_H

namespace KERNELSET_CUB {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

// the lanes of a warp of so many threads, or of one of several in a warp of 32
template <int Threads, int = 0>
KERNELSET_BOTH unsigned WarpMask(unsigned warp) {
  unsigned lanes = 0xffffffffu >> (32 - Threads);
  return (Threads & (Threads - 1)) == 0 && Threads != 32 ? lanes << (warp * Threads) : lanes;
}

// where the threads of a block put their items so that the lanes of one warp can each rake a segment of them
template <class T, int Threads, int = 0>
struct BlockRakingLayout {
  enum {
    SHARED_ELEMENTS = Threads,
    MAX_RAKING_THREADS = Threads < 32 ? Threads : 32,
    SEGMENT_LENGTH = (SHARED_ELEMENTS + MAX_RAKING_THREADS - 1) / MAX_RAKING_THREADS,
    RAKING_THREADS = (SHARED_ELEMENTS + SEGMENT_LENGTH - 1) / SEGMENT_LENGTH,
    USE_SEGMENT_PADDING = (SEGMENT_LENGTH & 1) == 0 && SEGMENT_LENGTH > 2,
    GRID_ELEMENTS = RAKING_THREADS * (SEGMENT_LENGTH + USE_SEGMENT_PADDING),
    UNGUARDED = SHARED_ELEMENTS % RAKING_THREADS == 0
  };
  struct _TempStorage {
    T buff[GRID_ELEMENTS];
  };
  struct TempStorage : Uninitialized<_TempStorage> {};
  __device__ static T* PlacementPtr(TempStorage& temp, unsigned thread) {
    return temp.Alias().buff + thread + (USE_SEGMENT_PADDING ? thread / SEGMENT_LENGTH : 0);
  }
  __device__ static T* RakingPtr(TempStorage& temp, unsigned thread) {
    return temp.Alias().buff + thread * (SEGMENT_LENGTH + USE_SEGMENT_PADDING);
  }
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
  static constexpr int kThreads = X * Y * Z;
  struct Shared {
    Slots<T, kThreads> scanned;
    Slots<T, 1> prefix;
  };

 public:
  struct TempStorage : Uninitialized<Shared> {};

  __device__ explicit BlockScan(TempStorage& temp) : shared_(temp.Alias()), thread_(RowMajorTid(X, Y, Z)) {}
  __device__ BlockScan() : shared_(own()), thread_(RowMajorTid(X, Y, Z)) {}

  template <class Op>
  __device__ void InclusiveScan(T input, T& output, Op op, T& aggregate) {
    scan(input, op);
    output = shared_.scanned[thread_];
    aggregate = shared_.scanned[kThreads - 1];
  }
  template <class Op>
  __device__ void InclusiveScan(T input, T& output, Op op) {
    T aggregate;
    InclusiveScan(input, output, op, aggregate);
  }
  template <class Op, class Callback>
  __device__ void InclusiveScan(T input, T& output, Op op, Callback& callback) {
    scan(input, op);
    output = op(prefix(callback), shared_.scanned[thread_]);
  }

  template <class Op>
  __device__ void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate) {
    scan(input, op);
    aggregate = shared_.scanned[kThreads - 1];
    output = thread_ == 0 ? initial : op(initial, shared_.scanned[thread_ - 1]);
  }
  template <class Op>
  __device__ void ExclusiveScan(T input, T& output, T initial, Op op) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate);
  }
  // without an initial value the first thread's output is undefined; it gets its input
  template <class Op>
  __device__ void ExclusiveScan(T input, T& output, Op op) {
    scan(input, op);
    output = thread_ == 0 ? input : shared_.scanned[thread_ - 1];
  }
  template <class Op, class Callback>
  __device__ void ExclusiveScan(T input, T& output, Op op, Callback& callback) {
    scan(input, op);
    T before = prefix(callback);
    output = thread_ == 0 ? before : op(before, shared_.scanned[thread_ - 1]);
  }

  template <int Items, class Op>
  __device__ void InclusiveScan(T (&input)[Items], T (&output)[Items], Op op) {
    T total = within(input, output, op);
    scan(total, op);
    if (thread_ > 0) after(shared_.scanned[thread_ - 1], output, op);
  }
  template <int Items, class Op>
  __device__ void InclusiveScan(T (&input)[Items], T (&output)[Items], Op op, T& aggregate) {
    InclusiveScan(input, output, op);
    aggregate = shared_.scanned[kThreads - 1];
  }
  template <int Items, class Op, class Callback>
  __device__ void InclusiveScan(T (&input)[Items], T (&output)[Items], Op op, Callback& callback) {
    T total = within(input, output, op);
    scan(total, op);
    T before = prefix(callback);
    after(thread_ == 0 ? before : op(before, shared_.scanned[thread_ - 1]), output, op);
  }
  template <int Items, class Op>
  __device__ void ExclusiveScan(T (&input)[Items], T (&output)[Items], T initial, Op op, T& aggregate) {
    T inner[Items];
    T total = within(input, inner, op);
    scan(total, op);
    T before = thread_ == 0 ? initial : op(initial, shared_.scanned[thread_ - 1]);
    aggregate = shared_.scanned[kThreads - 1];
#pragma unroll
    for (int item = Items - 1; item > 0; --item) output[item] = op(before, inner[item - 1]);
    output[0] = before;
  }
  template <int Items, class Op>
  __device__ void ExclusiveScan(T (&input)[Items], T (&output)[Items], T initial, Op op) {
    T aggregate;
    ExclusiveScan(input, output, initial, op, aggregate);
  }

  __device__ void InclusiveSum(T input, T& output) { InclusiveScan(input, output, Sum()); }
  __device__ void InclusiveSum(T input, T& output, T& aggregate) { InclusiveScan(input, output, Sum(), aggregate); }
  __device__ void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T{}, Sum()); }
  __device__ void ExclusiveSum(T input, T& output, T& aggregate) {
    ExclusiveScan(input, output, T{}, Sum(), aggregate);
  }
  template <class Callback>
  __device__ void InclusiveSum(T input, T& output, Callback& callback) {
    InclusiveScan(input, output, Sum(), callback);
  }
  template <class Callback>
  __device__ void ExclusiveSum(T input, T& output, Callback& callback) {
    ExclusiveScan(input, output, Sum(), callback);
  }
  template <int Items>
  __device__ void InclusiveSum(T (&input)[Items], T (&output)[Items]) {
    InclusiveScan(input, output, Sum());
  }
  template <int Items>
  __device__ void ExclusiveSum(T (&input)[Items], T (&output)[Items]) {
    ExclusiveScan(input, output, T{}, Sum());
  }
  template <int Items>
  __device__ void ExclusiveSum(T (&input)[Items], T (&output)[Items], T& aggregate) {
    ExclusiveScan(input, output, T{}, Sum(), aggregate);
  }

 private:
  __device__ static Shared& own() {
    __shared__ TempStorage temp;
    return temp.Alias();
  }

  template <class Op>
  __device__ void scan(T value, Op op) {
    shared_.scanned[thread_] = value;
    __syncthreads();
    for (int step = 1; step < kThreads; step *= 2) {
      T before = shared_.scanned[thread_ < step ? 0 : thread_ - step];
      __syncthreads();
      if (thread_ >= step) shared_.scanned[thread_] = op(before, shared_.scanned[thread_]);
      __syncthreads();
    }
  }
  // the first warp asks, the first lane's answer counts
  template <class Callback>
  __device__ T prefix(Callback& callback) {
    if (thread_ < 32) {
      T answer = callback(shared_.scanned[kThreads - 1]);
      if (thread_ == 0) shared_.prefix[0] = answer;
    }
    __syncthreads();
    return shared_.prefix[0];
  }
  template <int Items, class Op>
  __device__ static T within(T (&input)[Items], T (&output)[Items], Op op) {
    output[0] = input[0];
#pragma unroll
    for (int item = 1; item < Items; ++item) output[item] = op(output[item - 1], input[item]);
    return output[Items - 1];
  }
  template <int Items, class Op>
  __device__ static void after(T before, T (&output)[Items], Op op) {
#pragma unroll
    for (int item = 0; item < Items; ++item) output[item] = op(before, output[item]);
  }

  Shared& shared_;
  int thread_;
};

}  // namespace KERNELSET_CUB

#endif
