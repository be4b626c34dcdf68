// What kernels outside of PyTorch take from its device headers: limits of types, atomics, reductions over blocks, vectors of
// elements, divisions by a constant.
// Rule: ATen/cuda/NumericLimits.cuh, ATen/native/cuda/{KernelUtils,block_reduce,MemoryAccess}.cuh and
// ATen/cuda/detail/IntegerDivider.cuh of PyTorch, by behaviour.
#pragma once

namespace at {

template <typename T> struct numeric_limits {
  using ks_limits = std::numeric_limits<T>;
  static ks_torch_inline T lowest() { return ks_limits::lowest(); }
  static ks_torch_inline T max() { return ks_limits::max(); }
  static ks_torch_inline T lower_bound() { return ks_limits::has_infinity ? T(-ks_limits::infinity()) : lowest(); }
  static ks_torch_inline T upper_bound() { return ks_limits::has_infinity ? ks_limits::infinity() : max(); }
};

namespace native {

template <typename T, typename I> static __device__ inline void fastAtomicAdd(T *tensor, I index, const I, T value, bool) {
  gpuAtomicAddNoReturn(tensor + index, value);
}
template <typename I> ks_torch_inline I idx(const I plane, const I height, const I width, const I row, const I column) {
  return (plane * height + row) * width + column;
}

namespace memory {
template <typename T, int count> struct alignas(sizeof(T) * count) aligned_vector { T val[count]; };
template <int count, typename T> static __device__ inline aligned_vector<T, count> load_vector(const T *from, uint32_t at) {
  return reinterpret_cast<const aligned_vector<T, count> *>(from)[at];
}
}  // namespace memory

namespace cuda_utils {
constexpr int kCUDABlockReduceNumThreads = 512;
constexpr int kCUDABlockReduceMaxThreads = C10_WARP_SIZE * C10_WARP_SIZE;
struct Block1D {
  static __device__ inline int Tid() { return threadIdx.x; }
  static __device__ inline int Warps() { return blockDim.x / C10_WARP_SIZE; }
};
struct Block2D {
  static __device__ inline int Tid() { return threadIdx.x + threadIdx.y * blockDim.x; }
  static __device__ inline int Warps() { return blockDim.x * blockDim.y / C10_WARP_SIZE; }
};
template <typename T> static __device__ inline T WarpReduceSum(T value) {
  for (int offset = C10_WARP_SIZE / 2; offset > 0; offset /= 2) value += WARP_SHFL_DOWN(value, offset);
  return value;
}
template <typename T, typename Operation> static __device__ inline T WarpReduce(T value, const Operation &operation) {
  for (int offset = C10_WARP_SIZE / 2; offset > 0; offset /= 2) {
    value = operation.combine(value, operation.warp_shfl_down(value, offset));
  }
  return value;
}
// the whole is in the first thread alone
template <typename T, typename B = Block1D> static __device__ inline T BlockReduceSum(T value, T *shared) {
  const int lane = B::Tid() % C10_WARP_SIZE, warp = B::Tid() / C10_WARP_SIZE;
  value = WarpReduceSum(value);
  __syncthreads();
  if (lane == 0) shared[warp] = value;
  __syncthreads();
  value = B::Tid() < B::Warps() ? shared[lane] : T(0);
  return warp == 0 ? WarpReduceSum(value) : value;
}
template <typename T, typename Operation, typename B = Block1D>
static __device__ inline T BlockReduce(T value, const Operation &operation, const T &identity, T *shared) {
  const int lane = B::Tid() % C10_WARP_SIZE, warp = B::Tid() / C10_WARP_SIZE;
  value = WarpReduce(value, operation);
  __syncthreads();
  if (lane == 0) shared[warp] = value;
  __syncthreads();
  value = B::Tid() < B::Warps() ? shared[lane] : identity;
  return warp == 0 ? WarpReduce(value, operation) : value;
}
}  // namespace cuda_utils
}  // namespace native

namespace cuda { namespace detail {
template <typename T> struct DivMod {
  T div, mod;
  ks_torch_inline DivMod(T quotient, T remainder) : div(quotient), mod(remainder) {}
};
template <typename T> struct IntDivider {
  IntDivider() = default;
  ks_torch_inline IntDivider(T d) : divisor(d) {}
  ks_torch_inline T div(T n) const { return n / divisor; }
  ks_torch_inline T mod(T n) const { return n % divisor; }
  ks_torch_inline DivMod<T> divmod(T n) const { return DivMod<T>(n / divisor, n % divisor); }
  T divisor;
};
} }
}  // namespace at
