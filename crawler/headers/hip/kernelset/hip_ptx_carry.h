// Arithmetic that hands a carry on: PTX's extended-precision instructions, whose borrow is a carry, too.
#ifndef KERNELSET_HIP_PTX_CARRY_H
#define KERNELSET_HIP_PTX_CARRY_H

#ifndef KS_CARRY_WORDS
#define KS_CARRY_WORDS __shared__
#endif

namespace kernelset::ptx {

// PTX's register CC.CF, from one assembly to the next: nothing else on the device is a thread's own and outlives a function
__device__ inline unsigned& carry() {
  KS_CARRY_WORDS unsigned words[1024];
  return words[threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)];
}

template <bool reads, bool writes, class T>
__device__ inline T add_carry(T a, T b, unsigned& carry) {
  const T sum = a + b;
  const T total = sum + T(reads ? carry : 0u);
  if (writes) carry = unsigned(sum < a) | unsigned(total < sum);
  return total;
}
template <bool reads, bool writes, class T>
__device__ inline T sub_carry(T a, T b, unsigned& carry) {
  const T difference = a - b;
  const T borrow = T(reads ? carry : 0u);
  if (writes) carry = unsigned(a < b) | unsigned(difference < borrow);
  return difference - borrow;
}

}  // namespace kernelset::ptx

#endif
