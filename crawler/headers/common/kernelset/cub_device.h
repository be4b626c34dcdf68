// The device-wide algorithms: host functions, declared for parsing and never defined.
#ifndef KERNELSET_CUB_DEVICE_H
#define KERNELSET_CUB_DEVICE_H

namespace KERNELSET_CUB {

// a host function of an algorithm takes what it is given: argument types matter to no kernel
#define KERNELSET_ALGORITHM(name) \
  template <class... Arguments>   \
  static __host__ __device__ KERNELSET_STATUS name(Arguments&&...);

struct DeviceReduce {
  KERNELSET_ALGORITHM(Reduce)
  KERNELSET_ALGORITHM(Sum)
  KERNELSET_ALGORITHM(Min)
  KERNELSET_ALGORITHM(Max)
  KERNELSET_ALGORITHM(ArgMin)
  KERNELSET_ALGORITHM(ArgMax)
  KERNELSET_ALGORITHM(ReduceByKey)
  KERNELSET_ALGORITHM(TransformReduce)
};
struct DeviceSegmentedReduce {
  KERNELSET_ALGORITHM(Reduce)
  KERNELSET_ALGORITHM(Sum)
  KERNELSET_ALGORITHM(Min)
  KERNELSET_ALGORITHM(Max)
  KERNELSET_ALGORITHM(ArgMin)
  KERNELSET_ALGORITHM(ArgMax)
};
struct DeviceScan {
  KERNELSET_ALGORITHM(ExclusiveSum)
  KERNELSET_ALGORITHM(ExclusiveScan)
  KERNELSET_ALGORITHM(InclusiveSum)
  KERNELSET_ALGORITHM(InclusiveScan)
  KERNELSET_ALGORITHM(InclusiveScanInit)
  KERNELSET_ALGORITHM(ExclusiveSumByKey)
  KERNELSET_ALGORITHM(ExclusiveScanByKey)
  KERNELSET_ALGORITHM(InclusiveSumByKey)
  KERNELSET_ALGORITHM(InclusiveScanByKey)
};
struct DeviceRadixSort {
  KERNELSET_ALGORITHM(SortPairs)
  KERNELSET_ALGORITHM(SortPairsDescending)
  KERNELSET_ALGORITHM(SortKeys)
  KERNELSET_ALGORITHM(SortKeysDescending)
};
struct DeviceMergeSort {
  KERNELSET_ALGORITHM(SortPairs)
  KERNELSET_ALGORITHM(SortPairsCopy)
  KERNELSET_ALGORITHM(SortKeys)
  KERNELSET_ALGORITHM(SortKeysCopy)
  KERNELSET_ALGORITHM(StableSortPairs)
  KERNELSET_ALGORITHM(StableSortKeys)
};
struct DeviceSegmentedRadixSort : DeviceRadixSort {};
struct DeviceSegmentedSort {
  KERNELSET_ALGORITHM(SortPairs)
  KERNELSET_ALGORITHM(SortPairsDescending)
  KERNELSET_ALGORITHM(SortKeys)
  KERNELSET_ALGORITHM(SortKeysDescending)
  KERNELSET_ALGORITHM(StableSortPairs)
  KERNELSET_ALGORITHM(StableSortPairsDescending)
  KERNELSET_ALGORITHM(StableSortKeys)
  KERNELSET_ALGORITHM(StableSortKeysDescending)
};
struct DeviceSelect {
  KERNELSET_ALGORITHM(Flagged)
  KERNELSET_ALGORITHM(FlaggedIf)
  KERNELSET_ALGORITHM(If)
  KERNELSET_ALGORITHM(Unique)
  KERNELSET_ALGORITHM(UniqueByKey)
};
struct DevicePartition {
  KERNELSET_ALGORITHM(Flagged)
  KERNELSET_ALGORITHM(If)
};
struct DeviceRunLengthEncode {
  KERNELSET_ALGORITHM(Encode)
  KERNELSET_ALGORITHM(NonTrivialRuns)
};
struct DeviceHistogram {
  KERNELSET_ALGORITHM(HistogramEven)
  KERNELSET_ALGORITHM(HistogramRange)
  KERNELSET_ALGORITHM(MultiHistogramEven)
  KERNELSET_ALGORITHM(MultiHistogramRange)
};
struct DeviceFor {
  KERNELSET_ALGORITHM(Bulk)
  KERNELSET_ALGORITHM(ForEach)
  KERNELSET_ALGORITHM(ForEachN)
  KERNELSET_ALGORITHM(ForEachCopy)
};
struct DeviceTransform {
  KERNELSET_ALGORITHM(Transform)
};
struct DeviceCopy {
  KERNELSET_ALGORITHM(Batched)
};
struct DeviceMemcpy {
  KERNELSET_ALGORITHM(Batched)
};
struct DeviceAdjacentDifference {
  KERNELSET_ALGORITHM(SubtractLeft)
  KERNELSET_ALGORITHM(SubtractLeftCopy)
  KERNELSET_ALGORITHM(SubtractRight)
  KERNELSET_ALGORITHM(SubtractRightCopy)
};
struct DeviceSpmv {
  KERNELSET_ALGORITHM(CsrMV)
};
#undef KERNELSET_ALGORITHM

struct CachingDeviceAllocator {
  template <class... Arguments>
  explicit CachingDeviceAllocator(Arguments&&...);
  template <class... Arguments>
  KERNELSET_STATUS DeviceAllocate(Arguments&&...);
  template <class... Arguments>
  KERNELSET_STATUS DeviceFree(Arguments&&...);
};

template <class T>
struct DoubleBuffer {
  T* d_buffers[2];
  int selector = 0;
  KERNELSET_BOTH DoubleBuffer() : d_buffers{nullptr, nullptr} {}
  KERNELSET_BOTH DoubleBuffer(T* current, T* alternate) : d_buffers{current, alternate} {}
  KERNELSET_BOTH T* Current() { return d_buffers[selector]; }
  KERNELSET_BOTH T* Alternate() { return d_buffers[selector ^ 1]; }
};

}  // namespace KERNELSET_CUB

#endif
