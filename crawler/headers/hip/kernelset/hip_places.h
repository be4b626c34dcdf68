// Where a thread stands, as plain unsigned numbers: `auto i = threadIdx.x` can be counted up, as in CUDA and newer HIP.
// Rule: built-in variables of the CUDA C++ Programming Guide; `__hip_builtin_threadIdx_t` of newer HIP.
#pragma once

#if HIP_VERSION_MAJOR < 6
template <typename Of>
struct ks_places {
  __declspec(property(get = ks_x)) unsigned int x;
  __declspec(property(get = ks_y)) unsigned int y;
  __declspec(property(get = ks_z)) unsigned int z;
  __device__ unsigned int ks_x() const { return Of{}(0); }
  __device__ unsigned int ks_y() const { return Of{}(1); }
  __device__ unsigned int ks_z() const { return Of{}(2); }
  __device__ operator dim3() const { return dim3(ks_x(), ks_y(), ks_z()); }
  __device__ operator uint3() const { return make_uint3(ks_x(), ks_y(), ks_z()); }
};
static constexpr ks_places<__HIP_BlockDim> ks_block_dim{};
static constexpr ks_places<__HIP_BlockIdx> ks_block_index{};
static constexpr ks_places<__HIP_GridDim> ks_grid_dim{};
static constexpr ks_places<__HIP_ThreadIdx> ks_thread_index{};
#define blockDim ks_block_dim
#define blockIdx ks_block_index
#define gridDim ks_grid_dim
#define threadIdx ks_thread_index
#endif
