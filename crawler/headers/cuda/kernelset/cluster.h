// Thread block clusters of cooperative groups. Devices before 9.0 have none: there a cluster is one block.
// Rule: CUDA C++ Programming Guide, "Cooperative Groups", "Cluster Group"; PTX ISA, "barrier.cluster" and "mapa".
#pragma once
#include <kernelset/groups.h>

#ifndef KERNELSET_OTHER_RANK
#define KERNELSET_OTHER_RANK(rank) (void)(rank)
#endif

namespace cooperative_groups {

class cluster_group {
 public:
  struct arrival_token {};
  __device__ static void sync() {
    arrive();
    wait();
  }
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define KS_CLUSTER(NAME, REGISTER)                            \
  __device__ static unsigned NAME() {                         \
    unsigned found;                                           \
    asm volatile("mov.u32 %0, %%" REGISTER ";" : "=r"(found)); \
    return found;                                             \
  }
  KS_CLUSTER(block_rank, "cluster_ctarank")
  KS_CLUSTER(num_blocks, "cluster_nctarank")
  __device__ static arrival_token arrive() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    return {};
  }
  __device__ static void wait() { asm volatile("barrier.cluster.wait.aligned;" ::: "memory"); }
  template <typename T> __device__ static T *map_shared_rank(T *address, int rank) {
    T *found;
    asm("mapa.u64 %0, %1, %2;" : "=l"(found) : "l"(address), "r"(rank));
    return found;
  }
  __device__ static dim3 block_index() { return dim3(x_(), y_(), z_()); }
  __device__ static dim3 dim_blocks() { return dim3(width_(), height_(), depth_()); }

 private:
  KS_CLUSTER(x_, "cluster_ctaid.x") KS_CLUSTER(y_, "cluster_ctaid.y") KS_CLUSTER(z_, "cluster_ctaid.z")
  KS_CLUSTER(width_, "cluster_nctaid.x") KS_CLUSTER(height_, "cluster_nctaid.y") KS_CLUSTER(depth_, "cluster_nctaid.z")
#undef KS_CLUSTER

 public:
#else
  __device__ static unsigned block_rank() { return 0; }
  __device__ static unsigned num_blocks() { return 1; }
  __device__ static arrival_token arrive() { return {}; }
  __device__ static void wait() { __syncthreads(); }
  template <typename T> __device__ static T *map_shared_rank(T *address, int rank) {
    KERNELSET_OTHER_RANK(rank);
    return address;
  }
  __device__ static dim3 block_index() { return dim3(0, 0, 0); }
  __device__ static dim3 dim_blocks() { return dim3(1, 1, 1); }
#endif
  __device__ static arrival_token barrier_arrive() { return arrive(); }
  __device__ static void barrier_wait(arrival_token && = {}) { wait(); }
  __device__ static unsigned thread_rank() { return block_rank() * block_size() + cooperative_groups::block_rank(); }
  __device__ static unsigned num_threads() { return num_blocks() * block_size(); }
  __device__ static unsigned size() { return num_threads(); }
  __device__ static unsigned query_shared_rank(const void *) { return block_rank(); }
  __device__ static dim3 group_dim() { return dim_blocks(); }
  __device__ static bool is_valid() { return true; }
};
__device__ inline cluster_group this_cluster() { return {}; }

}  // namespace cooperative_groups
