// What `cooperative_groups/{reduce,scan,memcpy_async}.h` have, over any group that can shuffle.
#ifndef KERNELSET_GROUPS_COLLECTIVE_H
#define KERNELSET_GROUPS_COLLECTIVE_H

namespace cooperative_groups {

#define KERNELSET_GROUP_OPERATION(name, expression)   \
  template <class T>                                  \
  struct name {                                       \
    __device__ T operator()(T a, T b) const {         \
      return expression;                              \
    }                                                 \
  };
KERNELSET_GROUP_OPERATION(plus, a + b)
KERNELSET_GROUP_OPERATION(less, b < a ? b : a)
KERNELSET_GROUP_OPERATION(greater, a < b ? b : a)
KERNELSET_GROUP_OPERATION(bit_and, a& b)
KERNELSET_GROUP_OPERATION(bit_or, a | b)
KERNELSET_GROUP_OPERATION(bit_xor, a ^ b)
#undef KERNELSET_GROUP_OPERATION

// every member gets the result
template <unsigned Size, class Parent, class T, class Op>
__device__ inline T reduce(const thread_block_tile<Size, Parent>& tile, T value, Op op) {
  for (unsigned step = Size / 2; step > 0; step /= 2) value = op(value, tile.shfl_xor(value, step));
  return value;
}
template <class Group, class T, class Op>
__device__ inline T reduce(const Group& group, T value, Op op) {
  T total = group.shfl(value, 0);
  for (unsigned rank = 1; rank < group.size(); ++rank) total = op(total, group.shfl(value, static_cast<int>(rank)));
  return total;
}

template <class Group, class T, class Op>
__device__ inline T inclusive_scan(const Group& group, T value, Op op) {
  for (unsigned step = 1; step < group.size(); step *= 2) {
    T before = group.shfl_up(value, step);
    if (group.thread_rank() >= step) value = op(before, value);
  }
  return value;
}
template <class Group, class T>
__device__ inline T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
template <class Group, class T, class Op>
__device__ inline T exclusive_scan(const Group& group, T value, Op op) {
  T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() == 0 ? T{} : before;
}
template <class Group, class T>
__device__ inline T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

template <class Group, class T>
__device__ inline void memcpy_async(const Group& group, T* to, const T* from, size_t bytes) {
  for (size_t at = group.thread_rank(); at < bytes / sizeof(T); at += group.size()) to[at] = from[at];
}
template <class Group>
__device__ inline void wait(const Group& group) {
  group.sync();
}
template <unsigned Stages, class Group>
__device__ inline void wait_prior(const Group& group) {
  group.sync();
}
template <class Group, class Function, class... Arguments>
__device__ inline void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(arguments...);
}

}  // namespace cooperative_groups

#endif
