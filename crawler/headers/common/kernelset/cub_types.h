// What CUB computes with at compile time, its remaining functors and iterators, and its words for a lane.
#ifndef KERNELSET_CUB_TYPES_H
#define KERNELSET_CUB_TYPES_H

#include <kernelset/words.h>

#include <type_traits>

namespace KERNELSET_CUB {

template <int Value>
struct Int2Type {
  enum { VALUE = Value };
};
template <class T, T Value>
struct Int2TypeOf {};
template <int N, int Current = N, int Count = 0>
struct Log2 {
  enum { VALUE = Log2<N, (Current >> 1), Count + 1>::VALUE };
};
template <int N, int Count>
struct Log2<N, 0, Count> {
  enum { VALUE = (1 << (Count - 1)) < N ? Count : Count - 1 };
};
template <int N>
struct PowerOfTwo {
  enum { VALUE = (N & (N - 1)) == 0 };
};
template <class A, class B>
struct Equals {
  enum { VALUE = std::is_same<A, B>::value, NEGATE = !std::is_same<A, B>::value };
};
template <bool Condition, class A, class B>
struct If {
  using Type = std::conditional_t<Condition, A, B>;
};
template <class T>
struct RemoveQualifiers {
  using Type = std::remove_cv_t<T>;
};
template <class T>
struct IsPointer {
  enum { VALUE = std::is_pointer<T>::value };
};

enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };
template <int Bytes>
struct BitsOf {
  using Type = std::conditional_t<
      Bytes == 1, unsigned char,
      std::conditional_t<Bytes == 2, unsigned short, std::conditional_t<Bytes == 4, unsigned int, unsigned long long>>>;
};
template <class T>
struct Traits {
  using UnsignedBits = typename BitsOf<sizeof(T)>::Type;
  static constexpr Category CATEGORY = std::is_integral<T>::value
                                           ? (std::is_signed<T>::value ? SIGNED_INTEGER : UNSIGNED_INTEGER)
                                           : (std::is_class<T>::value && sizeof(T) > 2 ? NOT_A_NUMBER : FLOATING_POINT);
  enum { PRIMITIVE = CATEGORY != NOT_A_NUMBER, NULL_TYPE = 0 };
  static constexpr UnsignedBits HIGH_BIT = UnsignedBits(1) << (sizeof(T) * 8 - 1);
  static constexpr UnsignedBits LOWEST_KEY =
      CATEGORY == SIGNED_INTEGER ? HIGH_BIT : CATEGORY == FLOATING_POINT ? UnsignedBits(-1) : UnsignedBits(0);
  static constexpr UnsignedBits MAX_KEY =
      CATEGORY == UNSIGNED_INTEGER ? UnsignedBits(-1) : UnsignedBits(UnsignedBits(-1) ^ HIGH_BIT);
  static KERNELSET_BOTH UnsignedBits TwiddleIn(UnsignedBits key) {
    if constexpr (CATEGORY == FLOATING_POINT) return key & HIGH_BIT ? UnsignedBits(~key) : UnsignedBits(key | HIGH_BIT);
    return CATEGORY == SIGNED_INTEGER ? UnsignedBits(key ^ HIGH_BIT) : key;
  }
  static KERNELSET_BOTH UnsignedBits TwiddleOut(UnsignedBits key) {
    if constexpr (CATEGORY == FLOATING_POINT) return key & HIGH_BIT ? UnsignedBits(key ^ HIGH_BIT) : UnsignedBits(~key);
    return CATEGORY == SIGNED_INTEGER ? UnsignedBits(key ^ HIGH_BIT) : key;
  }
  static KERNELSET_BOTH T Max() { return std::numeric_limits<T>::max(); }
  static KERNELSET_BOTH T Lowest() { return std::numeric_limits<T>::lowest(); }
};
template <class T>
struct NumericTraits : Traits<T> {};
template <class T>
struct FpLimits {
  static KERNELSET_BOTH T Max() { return std::numeric_limits<T>::max(); }
  static KERNELSET_BOTH T Lowest() { return std::numeric_limits<T>::lowest(); }
};
template <class T>
struct UnitWord {
  using ShuffleWord = unsigned int;
  using VolatileWord = T;
  using DeviceWord = T;
};
template <class T, int N>
struct CubVector {
  T values[N];
};

template <class T>
struct CastOp {
  template <class A>
  KERNELSET_BOTH T operator()(const A& a) const {
    return static_cast<T>(a);
  }
};
struct Division {
  template <class T>
  KERNELSET_BOTH T operator()(const T& a, const T& b) const {
    return a / b;
  }
};
template <class Op>
struct InequalityWrapper {
  Op op;
  KERNELSET_BOTH InequalityWrapper(Op op) : op(op) {}
  template <class T>
  KERNELSET_BOTH bool operator()(const T& a, const T& b) {
    return !op(a, b);
  }
};
template <class Op>
struct SwizzleScanOp {
  Op op;
  KERNELSET_BOTH SwizzleScanOp(Op op) : op(op) {}
  template <class T>
  KERNELSET_BOTH T operator()(const T& a, const T& b) {
    return op(b, a);
  }
};
template <class Op>
struct ReduceBySegmentOp {
  Op op;
  KERNELSET_BOTH ReduceBySegmentOp(Op op = Op()) : op(op) {}
  template <class Pair>
  KERNELSET_BOTH Pair operator()(const Pair& a, const Pair& b) {
    Pair both = b;
    both.key = a.key + b.key;
    if (!b.key) both.value = op(a.value, b.value);
    return both;
  }
};

template <class T, class Offset = ptrdiff_t>
struct ConstantInputIterator {
  T constant;
  using value_type = T;
  using reference = T;
  using pointer = T*;
  using difference_type = Offset;
  using iterator_category = std::random_access_iterator_tag;
  KERNELSET_BOTH ConstantInputIterator(T constant, Offset = 0) : constant(constant) {}
  KERNELSET_BOTH T operator*() const { return constant; }
  KERNELSET_BOTH T operator[](Offset) const { return constant; }
  KERNELSET_BOTH ConstantInputIterator operator+(Offset) const { return *this; }
};
template <class Iterator, class Offset = ptrdiff_t,
          class Value = typename std::iterator_traits<Iterator>::value_type>
struct ArgIndexInputIterator {
  Iterator from;
  Offset offset;
  using value_type = KeyValuePair<Offset, Value>;
  using reference = value_type;
  using pointer = value_type*;
  using difference_type = Offset;
  using iterator_category = std::random_access_iterator_tag;
  KERNELSET_BOTH ArgIndexInputIterator(Iterator from, Offset offset = 0) : from(from), offset(offset) {}
  KERNELSET_BOTH value_type operator*() const { return value_type(offset, from[offset]); }
  KERNELSET_BOTH value_type operator[](Offset at) const { return value_type(offset + at, from[offset + at]); }
  KERNELSET_BOTH ArgIndexInputIterator operator+(Offset by) const { return {from, offset + by}; }
};
template <CacheLoadModifier, class T, class Offset = ptrdiff_t>
struct CacheModifiedInputIterator {
  const T* from;
  using value_type = T;
  using reference = T;
  using pointer = T*;
  using difference_type = Offset;
  using iterator_category = std::random_access_iterator_tag;
  KERNELSET_BOTH CacheModifiedInputIterator(const T* from) : from(from) {}
  KERNELSET_BOTH T operator*() const { return *from; }
  KERNELSET_BOTH T operator[](Offset at) const { return from[at]; }
  KERNELSET_BOTH CacheModifiedInputIterator operator+(Offset by) const { return {from + by}; }
};
template <class Offset = ptrdiff_t>
struct DiscardOutputIterator {
  struct Nowhere {
    template <class T>
    KERNELSET_BOTH Nowhere& operator=(const T&) {
      return *this;
    }
  };
  using value_type = void;
  using reference = Nowhere;
  using pointer = void;
  using difference_type = Offset;
  using iterator_category = std::random_access_iterator_tag;
  KERNELSET_BOTH Nowhere operator*() const { return {}; }
  KERNELSET_BOTH Nowhere operator[](Offset) const { return {}; }
  KERNELSET_BOTH DiscardOutputIterator operator+(Offset) const { return *this; }
};

// an even share of a grid's input for each block, in tiles
template <class Offset>
struct GridEvenShare {
  Offset num_items, block_offset, block_end, block_stride;
  int grid_size;
  KERNELSET_BOTH void DispatchInit(Offset items, int most, int tile) {
    Offset tiles = (items + tile - 1) / tile;
    num_items = block_end = items;
    grid_size = tiles < most ? static_cast<int>(tiles) : most;
    block_offset = block_stride = 0;
  }
};

__device__ inline unsigned WarpId() { return RowMajorTid(blockDim.x, blockDim.y, blockDim.z) / 32; }
__device__ inline unsigned LaneMaskLt() { return (1u << LaneId()) - 1u; }
__device__ inline unsigned LaneMaskLe() { return (2u << LaneId()) - 1u; }
__device__ inline unsigned LaneMaskGt() { return ~LaneMaskLe(); }
__device__ inline unsigned LaneMaskGe() { return ~LaneMaskLt(); }
__device__ inline int WARP_ALL(int predicate, unsigned mask) { return __all_sync(mask, predicate); }
__device__ inline int WARP_ANY(int predicate, unsigned mask) { return __any_sync(mask, predicate); }
__device__ inline int WARP_BALLOT(int predicate, unsigned mask) { return __ballot_sync(mask, predicate); }
__device__ inline unsigned BFE(unsigned source, unsigned begin, unsigned bits) {
  return source >> begin & (bits >= 32 ? ~0u : (1u << bits) - 1u);
}
template <int Lanes, class T>
__device__ inline T ShuffleUp(T value, int by, int, unsigned mask) {
  return kernelset::by_words(value, [=](auto word) { return __shfl_up_sync(mask, word, by, Lanes); });
}
template <int Lanes, class T>
__device__ inline T ShuffleDown(T value, int by, int, unsigned mask) {
  return kernelset::by_words(value, [=](auto word) { return __shfl_down_sync(mask, word, by, Lanes); });
}
template <int Lanes, class T>
__device__ inline T ShuffleIndex(T value, int lane, unsigned mask) {
  return kernelset::by_words(value, [=](auto word) { return __shfl_sync(mask, word, lane, Lanes); });
}

}  // namespace KERNELSET_CUB

#endif
