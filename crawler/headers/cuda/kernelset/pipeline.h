// Asynchronous copies: cuda::pipeline, the primitives of cuda_pipeline.h, and what came before both. A copy is made at
// once by who asks for it, so that waiting for one is meeting whoever shares the pipeline.
// Rule: CCCL, "libcu++: cuda::pipeline"; CUDA C++ Programming Guide, "Pipeline Interface" and "Pipeline Primitives".
#pragma once
#include <kernelset/libcudacxx.h>

namespace cuda {
enum class pipeline_role { producer, consumer };
template <thread_scope Scope, unsigned char Stages> struct pipeline_shared_state { unsigned word; };

template <thread_scope Scope> struct pipeline {
  __device__ void producer_acquire() { meet(); }
  __device__ void producer_commit() {}
  __device__ void consumer_wait() { meet(); }
  __device__ void consumer_release() {}
  __device__ bool quit() { return false; }

 private:
  __device__ static void meet() {
    if (Scope != thread_scope_thread) __syncthreads();
  }
};
KS_D pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <typename Group, thread_scope Scope, unsigned char Stages, typename... Role>
__device__ pipeline<Scope> make_pipeline(const Group &, pipeline_shared_state<Scope, Stages> *, Role...) {
  return {};
}
template <unsigned char Prior> __device__ void pipeline_consumer_wait_prior(pipeline<thread_scope_thread> &) {}
template <thread_scope Scope>
__device__ void pipeline_producer_commit(pipeline<thread_scope_thread> &, barrier<Scope> &) {}
}  // namespace cuda

typedef unsigned long long __mbarrier_t;
KS_D void __pipeline_memcpy_async(void *to, const void *from, size_t bytes, size_t zeros = 0) {
  __builtin_memcpy(to, from, bytes - zeros);
  __builtin_memset(static_cast<char *>(to) + bytes - zeros, 0, zeros);
}
KS_D void __pipeline_commit() {}
KS_D void __pipeline_wait_prior(size_t) {}
KS_D void __pipeline_arrive_on(__mbarrier_t *) {}

namespace nvcuda {
namespace experimental {
class pipeline {
 public:
  __device__ size_t commit() { return 0; }
  __device__ void commit_and_wait() {}
  __device__ void wait(size_t) {}
  template <unsigned Prior> __device__ void wait_prior() {}
};
template <typename T> __device__ void memcpy_async(T &to, const T &from, pipeline &) { to = from; }
}  // namespace experimental
}  // namespace nvcuda
