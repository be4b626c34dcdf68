// Reduction over a block: a tree in shared memory that keeps the threads' order.
#ifndef KERNELSET_CUB_REDUCE_H
#define KERNELSET_CUB_REDUCE_H

namespace KERNELSET_CUB {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0>
class BlockReduce {
 public:
  struct TempStorage : Uninitialized<Slots<T, X * Y * Z>> {};

  __device__ explicit BlockReduce(TempStorage& temp) : slots_(temp.Alias()), thread_(RowMajorTid(X, Y, Z)) {}
  __device__ BlockReduce() : slots_(own()), thread_(RowMajorTid(X, Y, Z)) {}

  template <class Op>
  __device__ T Reduce(T value, Op op, int valid) {
    slots_[thread_] = value;
    __syncthreads();
    for (int step = 1; step < valid; step *= 2) {
      if (thread_ % (2 * step) == 0 && thread_ + step < valid) {
        slots_[thread_] = op(slots_[thread_], slots_[thread_ + step]);
      }
      __syncthreads();
    }
    return slots_[0];
  }
  template <class Op>
  __device__ T Reduce(T value, Op op) {
    return Reduce(value, op, X * Y * Z);
  }
  template <int Items, class Op>
  __device__ T Reduce(T (&values)[Items], Op op) {
    return Reduce(ThreadReduce(values, op), op);
  }
  __device__ T Sum(T value) { return Reduce(value, KERNELSET_CUB::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, KERNELSET_CUB::Sum(), valid); }
  template <int Items>
  __device__ T Sum(T (&values)[Items]) {
    return Reduce(values, KERNELSET_CUB::Sum());
  }

 private:
  __device__ static Slots<T, X * Y * Z>& own() {
    __shared__ TempStorage temp;
    return temp.Alias();
  }

  Slots<T, X * Y * Z>& slots_;
  int thread_;
};

}  // namespace KERNELSET_CUB

#endif
