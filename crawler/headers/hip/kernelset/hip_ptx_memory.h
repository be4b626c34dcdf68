// What blocks of inline assembly become: registers of bits, memory by address and space, exchange between lanes.
#ifndef KERNELSET_HIP_PTX_MEMORY_H
#define KERNELSET_HIP_PTX_MEMORY_H

namespace kernelset::ptx {

// A PTX register has a width and no type. Integers of another width are cut or extended; all else keeps its bits.
template <class To, class From>
__device__ inline To as(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_integral_v<To> && std::is_enum_v<From>) {
    return static_cast<To>(value);
  } else {
    To result{};
    __builtin_memcpy(&result, &value, sizeof(To) < sizeof(From) ? sizeof(To) : sizeof(From));
    return result;
  }
}
template <class To, class From>
__device__ inline void put(To& target, From value) {
  target = as<To>(value);
}

template <class T, int count>
struct alignas(sizeof(T) * count > 16 ? 16 : sizeof(T) * count) Vector {
  T of[count];
};

template <class T>
__device__ inline T load(unsigned long long address) {
  return *reinterpret_cast<const T*>(address);
}
template <class T>
__device__ inline void store(unsigned long long address, T value) {
  *reinterpret_cast<T*>(address) = value;
}
#ifdef KERNELSET_CPU
template <class T>
__device__ inline T load_shared(unsigned address) {
  return *static_cast<const T*>(shared_at(address));
}
template <class T>
__device__ inline void store_shared(unsigned address, T value) {
  *static_cast<T*>(shared_at(address)) = value;
}
template <class T, int order, int scope>
__device__ inline T load_ordered(unsigned long long address) {
  return ks_ordered_load(reinterpret_cast<const T*>(address));
}
template <class T, int order, int scope>
__device__ inline void store_ordered(unsigned long long address, T value) {
  ks_ordered_store(reinterpret_cast<T*>(address), value);
}
__device__ inline unsigned long long to_shared(unsigned long long address) {
  return shared_number(reinterpret_cast<const void*>(address));
}
__device__ inline unsigned long long from_shared(unsigned address) {
  return reinterpret_cast<unsigned long long>(shared_at(address));
}
#else
// an address in shared memory is a number of 32 bits, also where PTX holds it in 64
template <class T>
__device__ inline T load_shared(unsigned address) {
  T value;
  auto from = (const __attribute__((address_space(3))) unsigned char*)address;
  __builtin_memcpy(&value, (const T*)(const unsigned char*)from, sizeof(T));
  return value;
}
template <class T>
__device__ inline void store_shared(unsigned address, T value) {
  auto to = (__attribute__((address_space(3))) unsigned char*)address;
  __builtin_memcpy((T*)(unsigned char*)to, &value, sizeof(T));
}
template <class T, int order, int scope>
__device__ inline T load_ordered(unsigned long long address) {
  return __hip_atomic_load(reinterpret_cast<const T*>(address), order, scope);
}
template <class T, int order, int scope>
__device__ inline void store_ordered(unsigned long long address, T value) {
  __hip_atomic_store(reinterpret_cast<T*>(address), value, order, scope);
}
__device__ inline unsigned long long to_shared(unsigned long long address) {
  return (unsigned)(size_t)(__attribute__((address_space(3))) void*)reinterpret_cast<void*>(address);
}
__device__ inline unsigned long long from_shared(unsigned address) {
  return reinterpret_cast<unsigned long long>((void*)(__attribute__((address_space(3))) void*)address);
}
#endif

// copies into shared memory that may end later may end at once; what is not wanted of the source is 0
template <class T>
__device__ inline void copy_whole(unsigned to, unsigned long long from) {
  store_shared<T>(to, load<T>(from));
}
__device__ inline void copy_async(unsigned to, unsigned long long from, unsigned size, unsigned wanted = 16) {
  if (wanted >= size && size == 16) copy_whole<Vector<unsigned, 4>>(to, from);
  else if (wanted >= size && size == 8) copy_whole<Vector<unsigned, 2>>(to, from);
  else if (wanted >= size && size == 4) copy_whole<unsigned>(to, from);
  else
    for (unsigned at = 0; at < size; ++at) {
      store_shared<unsigned char>(to + at, at < wanted ? load<unsigned char>(from + at) : 0);
    }
}

#define KERNELSET_PTX_ATOMIC(name, function)                            \
  template <class T>                                                    \
  __device__ inline T atomic_##name(unsigned long long address, T value) { \
    return function(reinterpret_cast<T*>(address), value);              \
  }
KERNELSET_PTX_ATOMIC(add, atomicAdd)
KERNELSET_PTX_ATOMIC(min, atomicMin)
KERNELSET_PTX_ATOMIC(max, atomicMax)
KERNELSET_PTX_ATOMIC(and, atomicAnd)
KERNELSET_PTX_ATOMIC(or, atomicOr)
KERNELSET_PTX_ATOMIC(xor, atomicXor)
KERNELSET_PTX_ATOMIC(exch, atomicExch)
KERNELSET_PTX_ATOMIC(inc, atomicInc)
KERNELSET_PTX_ATOMIC(dec, atomicDec)
#undef KERNELSET_PTX_ATOMIC
template <class T>
__device__ inline T atomic_cas(unsigned long long address, T compare, T value) {
  return atomicCAS(reinterpret_cast<T*>(address), compare, value);
}

// `shfl.sync` as its documentation says it: the third operand holds a segment's mask and a limit
template <int mode>
__device__ inline unsigned shuffle(unsigned value, unsigned operand, unsigned limits, bool* inside) {
  int lane = static_cast<int>(__lane_id() & 31u), offset = static_cast<int>(operand & 31u);
  int segment = static_cast<int>(limits >> 8 & 31u), clamp = static_cast<int>(limits & 31u);
  int first = lane & segment, last = first | (clamp & ~segment);
  int from = mode == 0 ? lane - offset : mode == 1 ? lane + offset : mode == 2 ? lane ^ offset : first | (offset & ~segment);
  *inside = mode == 0 ? from >= last : from <= last;
  return static_cast<unsigned>(__shfl(static_cast<int>(value), *inside ? from : lane, 32));
}

}  // namespace kernelset::ptx

#endif
