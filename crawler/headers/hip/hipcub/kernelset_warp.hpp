// Reduction and scans over a logical warp of at most 32 lanes.
#ifndef KERNELSET_HIPCUB_WARP_HPP
#define KERNELSET_HIPCUB_WARP_HPP

namespace hipcub {

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
      T other = __shfl_down_sync(~0u, value, step, Lanes);
      if (lane + step < valid) value = op(value, other);
    }
    return value;
  }
  template <class Op>
  __device__ T Reduce(T value, Op op) {
    return Reduce(value, op, Lanes);
  }
  __device__ T Sum(T value) { return Reduce(value, hipcub::Sum(), Lanes); }
  __device__ T Sum(T value, int valid) { return Reduce(value, hipcub::Sum(), valid); }
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
      T before = __shfl_up_sync(~0u, input, step, Lanes);
      if (lane_ >= step) input = op(before, input);
    }
    output = input;
  }
  template <class Op>
  __device__ void InclusiveScan(T input, T& output, Op op, T& aggregate) {
    InclusiveScan(input, output, op);
    aggregate = __shfl_sync(~0u, output, Lanes - 1, Lanes);
  }
  template <class Op>
  __device__ void ExclusiveScan(T input, T& output, T initial, Op op) {
    T inclusive;
    InclusiveScan(input, inclusive, op);
    T before = __shfl_up_sync(~0u, inclusive, 1, Lanes);
    output = lane_ == 0 ? initial : op(initial, before);
  }
  template <class Op>
  __device__ void ExclusiveScan(T input, T& output, Op op) {
    T inclusive;
    InclusiveScan(input, inclusive, op);
    output = __shfl_up_sync(~0u, inclusive, 1, Lanes);
  }
  __device__ void InclusiveSum(T input, T& output) { InclusiveScan(input, output, Sum()); }
  __device__ void InclusiveSum(T input, T& output, T& aggregate) { InclusiveScan(input, output, Sum(), aggregate); }
  __device__ void ExclusiveSum(T input, T& output) { ExclusiveScan(input, output, T{}, Sum()); }
  __device__ void ExclusiveSum(T input, T& output, T& aggregate) {
    T inclusive;
    InclusiveScan(input, inclusive, Sum(), aggregate);
    T before = __shfl_up_sync(~0u, inclusive, 1, Lanes);
    output = lane_ == 0 ? T{} : before;
  }
  __device__ T Broadcast(T input, unsigned lane) { return __shfl_sync(~0u, input, lane, Lanes); }

 private:
  int lane_;
};

}  // namespace hipcub

#endif
