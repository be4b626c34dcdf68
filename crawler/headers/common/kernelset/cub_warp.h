// Reduction and scans over a logical warp of at most 32 lanes.
#ifndef KERNELSET_CUB_WARP_H
#define KERNELSET_CUB_WARP_H

namespace KERNELSET_CUB {

template <class T, int Lanes = 32, int = 0>
class WarpReduce {
 public:
  struct TempStorage : Uninitialized<NullType> {};

  __device__ explicit WarpReduce(TempStorage&) {}

  template <class Op>
  __device__ T Reduce(T value, Op op, int valid) {
    int lane = static_cast<int>(LaneId()) % Lanes;
#pragma unroll
    for (int step = 1; step < Lanes; step *= 2) {
      T other = ShuffleDown<Lanes>(value, step, 0, ~0u);
      if (lane + step < valid) value = op(value, other);
    }
    return value;
  }
  template <class Op>
  __device__ T Reduce(T value, Op op) {
    return Reduce(value, op, Lanes);
  }
  __device__ T Sum(T value) { return Reduce(value, KERNELSET_CUB::Sum(), Lanes); }
  __device__ T Sum(T value, int valid) { return Reduce(value, KERNELSET_CUB::Sum(), valid); }

  // a segment begins where its flag is set
  template <class Flag, class Op>
  __device__ T HeadSegmentedReduce(T value, Flag head, Op op) {
    unsigned after = __ballot_sync(~0u, head) >> LaneId() >> 1;
    int lane = static_cast<int>(LaneId()) % Lanes;
    int length = after ? __ffs(static_cast<int>(after)) : Lanes - lane;
    return Reduce(value, op, lane + length < Lanes ? lane + length : Lanes);
  }
  template <class Flag>
  __device__ T HeadSegmentedSum(T value, Flag head) {
    return HeadSegmentedReduce(value, head, KERNELSET_CUB::Sum());
  }
  // a segment ends where its flag is set
  template <class Flag, class Op>
  __device__ T TailSegmentedReduce(T value, Flag tail, Op op) {
    unsigned from = __ballot_sync(~0u, tail) >> LaneId();
    int lane = static_cast<int>(LaneId()) % Lanes;
    int length = from ? __ffs(static_cast<int>(from)) : Lanes - lane;
    return Reduce(value, op, lane + length < Lanes ? lane + length : Lanes);
  }
  template <class Flag>
  __device__ T TailSegmentedSum(T value, Flag tail) {
    return TailSegmentedReduce(value, tail, KERNELSET_CUB::Sum());
  }
};

template <class T, int Lanes = 32, int = 0>
class WarpScan {
 public:
  struct TempStorage : Uninitialized<NullType> {};

  __device__ explicit WarpScan(TempStorage&) : lane_(static_cast<int>(LaneId()) % Lanes) {}

  template <class Op>
  __device__ void InclusiveScan(T input, T& output, Op op) {
#pragma unroll
    for (int step = 1; step < Lanes; step *= 2) {
      T before = ShuffleUp<Lanes>(input, step, 0, ~0u);
      if (lane_ >= step) input = op(before, input);
    }
    output = input;
  }
  template <class Op>
  __device__ void InclusiveScan(T input, T& output, Op op, T& aggregate) {
    InclusiveScan(input, output, op);
    aggregate = ShuffleIndex<Lanes>(output, Lanes - 1, ~0u);
  }
  template <class Op>
  __device__ void ExclusiveScan(T input, T& output, T initial, Op op) {
    T inclusive;
    InclusiveScan(input, inclusive, op);
    T before = ShuffleUp<Lanes>(inclusive, 1, 0, ~0u);
    output = lane_ == 0 ? initial : op(initial, before);
  }
  template <class Op>
  __device__ void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate) {
    T inclusive;
    InclusiveScan(input, inclusive, op, aggregate);
    T before = ShuffleUp<Lanes>(inclusive, 1, 0, ~0u);
    output = lane_ == 0 ? initial : op(initial, before);
  }
  template <class Op>
  __device__ void ExclusiveScan(T input, T& output, Op op) {
    T inclusive;
    Scan(input, inclusive, output, op);
  }
  template <class Op>
  __device__ void ExclusiveScan(T input, T& output, Op op, T& aggregate) {
    T inclusive;
    InclusiveScan(input, inclusive, op, aggregate);
    output = ShuffleUp<Lanes>(inclusive, 1, 0, ~0u);
  }
  // without an initial value the first lane's exclusive result is undefined, as in CUB
  template <class Op>
  __device__ void Scan(T input, T& inclusive, T& exclusive, Op op) {
    InclusiveScan(input, inclusive, op);
    exclusive = ShuffleUp<Lanes>(inclusive, 1, 0, ~0u);
  }
  template <class Op>
  __device__ void Scan(T input, T& inclusive, T& exclusive, T initial, Op op) {
    Scan(input, inclusive, exclusive, op);
    exclusive = lane_ == 0 ? initial : op(initial, exclusive);
    inclusive = op(initial, inclusive);
  }
  __device__ void InclusiveSum(T input, T& output) { InclusiveScan(input, output, Sum()); }
  __device__ void InclusiveSum(T input, T& output, T& aggregate) { InclusiveScan(input, output, Sum(), aggregate); }
  __device__ void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T{}, Sum()); }
  __device__ void ExclusiveSum(T input, T& output, T& aggregate) {
    ExclusiveScan(input, output, T{}, Sum(), aggregate);
  }
  __device__ T Broadcast(T input, unsigned lane) { return ShuffleIndex<Lanes>(input, lane, ~0u); }

 private:
  int lane_;
};

}  // namespace KERNELSET_CUB

#endif
