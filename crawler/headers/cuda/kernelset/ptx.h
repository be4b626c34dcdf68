// libcu++'s instructions of PTX: barriers in shared memory, bulk copies, fences, clusters and special registers.
// Rule: CCCL, "libcu++: PTX instructions"; each function is the one instruction that its name says.
#pragma once
#include <stdint.h>

namespace cuda {
namespace ptx {
enum class dot_sem { acq_rel, acquire, relaxed, release, sc, weak };
enum class dot_scope { cta, cluster, gpu, sys };
enum class dot_space { global, cluster, shared };
template <dot_sem Value> struct sem_t {};
template <dot_scope Value> struct scope_t {};
template <dot_space Value> struct space_t {};
using sem_acq_rel_t = sem_t<dot_sem::acq_rel>;
using sem_acquire_t = sem_t<dot_sem::acquire>;
using sem_relaxed_t = sem_t<dot_sem::relaxed>;
using sem_release_t = sem_t<dot_sem::release>;
using sem_sc_t = sem_t<dot_sem::sc>;
using scope_cta_t = scope_t<dot_scope::cta>;
using scope_cluster_t = scope_t<dot_scope::cluster>;
using scope_gpu_t = scope_t<dot_scope::gpu>;
using scope_sys_t = scope_t<dot_scope::sys>;
using space_global_t = space_t<dot_space::global>;
using space_cluster_t = space_t<dot_space::cluster>;
using space_shared_t = space_t<dot_space::shared>;
static constexpr sem_acq_rel_t sem_acq_rel{};
static constexpr sem_acquire_t sem_acquire{};
static constexpr sem_relaxed_t sem_relaxed{};
static constexpr sem_release_t sem_release{};
static constexpr sem_sc_t sem_sc{};
static constexpr scope_cta_t scope_cta{};
static constexpr scope_cluster_t scope_cluster{};
static constexpr scope_gpu_t scope_gpu{};
static constexpr scope_sys_t scope_sys{};
static constexpr space_global_t space_global{};
static constexpr space_cluster_t space_cluster{};
static constexpr space_shared_t space_shared{};
template <int Value> struct n32_t { static constexpr int value = Value; };
template <int Value> static constexpr n32_t<Value> n32{};

KS_D uint32_t ks_shared(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

KS_D void mbarrier_init(uint64_t *bar, const uint32_t &count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(ks_shared(bar)), "r"(count) : "memory");
}
KS_D uint64_t mbarrier_arrive(uint64_t *bar) {
  uint64_t state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(ks_shared(bar)) : "memory");
  return state;
}
KS_D uint64_t mbarrier_arrive(uint64_t *bar, const uint32_t &count) {
  uint64_t state;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;" : "=l"(state) : "r"(ks_shared(bar)), "r"(count) : "memory");
  return state;
}
KS_D bool mbarrier_test_wait(uint64_t *bar, const uint64_t &state) {
  uint32_t done;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
               : "=r"(done) : "r"(ks_shared(bar)), "l"(state) : "memory");
  return done != 0;
}
#define KS_PTX_WAIT(KIND, STATE, LETTER)                                                                              \
  KS_D bool mbarrier_##KIND(uint64_t *bar, const STATE &state) {                                                      \
    uint32_t done;                                                                                                    \
    asm volatile("{ .reg .pred p; mbarrier." KS_PTX_##KIND ".shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"    \
                 : "=r"(done) : "r"(ks_shared(bar)), LETTER(state) : "memory");                                       \
    return done != 0;                                                                                                 \
  }                                                                                                                   \
  template <dot_sem Sem, dot_scope Scope>                                                                             \
  KS_D bool mbarrier_##KIND(sem_t<Sem>, scope_t<Scope>, uint64_t *bar, const STATE &state) {                          \
    return mbarrier_##KIND(bar, state);                                                                               \
  }
#define KS_PTX_try_wait "try_wait"
#define KS_PTX_try_wait_parity "try_wait.parity"
#define KS_PTX_test_wait_parity "test_wait.parity"
KS_PTX_WAIT(try_wait, uint64_t, "l")
KS_PTX_WAIT(try_wait_parity, uint32_t, "r")
KS_PTX_WAIT(test_wait_parity, uint32_t, "r")

template <dot_sem Sem, dot_scope Scope>
KS_D uint64_t mbarrier_arrive(sem_t<Sem>, scope_t<Scope>, space_shared_t, uint64_t *bar) {
  return mbarrier_arrive(bar);
}
template <dot_sem Sem, dot_scope Scope>
KS_D uint64_t mbarrier_arrive(sem_t<Sem>, scope_t<Scope>, space_shared_t, uint64_t *bar, const uint32_t &count) {
  return mbarrier_arrive(bar, count);
}
template <dot_sem Sem, dot_scope Scope>
KS_D void mbarrier_arrive(sem_t<Sem>, scope_t<Scope>, space_cluster_t, uint64_t *bar) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(ks_shared(bar)) : "memory");
}
template <dot_sem Sem, dot_scope Scope>
KS_D uint64_t mbarrier_arrive_expect_tx(sem_t<Sem>, scope_t<Scope>, space_shared_t, uint64_t *bar, const uint32_t &bytes) {
  uint64_t state;
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 %0, [%1], %2;"
               : "=l"(state) : "r"(ks_shared(bar)), "r"(bytes) : "memory");
  return state;
}
template <dot_sem Sem, dot_scope Scope>
KS_D void mbarrier_arrive_expect_tx(sem_t<Sem>, scope_t<Scope>, space_cluster_t, uint64_t *bar, const uint32_t &bytes) {
  asm volatile("mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%0], %1;" ::"r"(ks_shared(bar)), "r"(bytes)
               : "memory");
}
template <dot_sem Sem, dot_scope Scope, dot_space Space>
KS_D void mbarrier_expect_tx(sem_t<Sem>, scope_t<Scope>, space_t<Space>, uint64_t *bar, const uint32_t &bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(ks_shared(bar)), "r"(bytes) : "memory");
}

template <dot_space Space>
KS_D void cp_async_bulk(space_t<Space>, space_global_t, void *to, const void *from, const uint32_t &bytes, uint64_t *bar) {
  static_assert(Space != dot_space::global, "a copy from global memory goes to shared memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(ks_shared(to)),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(ks_shared(bar))
               : "memory");
}
KS_D void cp_async_bulk(space_cluster_t, space_shared_t, void *to, const void *from, const uint32_t &bytes, uint64_t *bar) {
  asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(ks_shared(to)),
               "r"(ks_shared(from)), "r"(bytes), "r"(ks_shared(bar))
               : "memory");
}
KS_D void cp_async_bulk(space_global_t, space_shared_t, void *to, const void *from, const uint32_t &bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
               "r"(ks_shared(from)), "r"(bytes)
               : "memory");
}
KS_D void cp_async_bulk_commit_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int Groups> KS_D void cp_async_bulk_wait_group(n32_t<Groups>) {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Groups) : "memory");
}
template <int Groups> KS_D void cp_async_bulk_wait_group_read(n32_t<Groups>) {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Groups) : "memory");
}

KS_D void fence_proxy_async() { asm volatile("fence.proxy.async;" ::: "memory"); }
KS_D void fence_proxy_async(space_global_t) { asm volatile("fence.proxy.async.global;" ::: "memory"); }
KS_D void fence_proxy_async(space_shared_t) { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
KS_D void fence_proxy_async(space_cluster_t) { asm volatile("fence.proxy.async.shared::cluster;" ::: "memory"); }
KS_D void fence_mbarrier_init(sem_release_t, scope_cluster_t) {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
template <dot_sem Sem> KS_D void fence(sem_t<Sem>, scope_cta_t) { __threadfence_block(); }
template <dot_sem Sem> KS_D void fence(sem_t<Sem>, scope_cluster_t) { __threadfence(); }
template <dot_sem Sem> KS_D void fence(sem_t<Sem>, scope_gpu_t) { __threadfence(); }
template <dot_sem Sem> KS_D void fence(sem_t<Sem>, scope_sys_t) { __threadfence_system(); }

KS_D void barrier_cluster_arrive() { asm volatile("barrier.cluster.arrive;" ::: "memory"); }
KS_D void barrier_cluster_wait() { asm volatile("barrier.cluster.wait;" ::: "memory"); }
template <typename T> KS_D T *mapa(space_cluster_t, const T *place, const uint32_t &rank) {
  uint64_t found;
  asm("mapa.u64 %0, %1, %2;" : "=l"(found) : "l"(place), "r"(rank));
  return reinterpret_cast<T *>(found);
}

#define KS_PTX_REGISTER(NAME, REGISTER)                \
  KS_D uint32_t get_sreg_##NAME() {                    \
    uint32_t value;                                    \
    asm("mov.u32 %0, %%" REGISTER ";" : "=r"(value));  \
    return value;                                      \
  }
KS_PTX_REGISTER(laneid, "laneid")
KS_PTX_REGISTER(warpid, "warpid")
KS_PTX_REGISTER(smid, "smid")
KS_PTX_REGISTER(lanemask_eq, "lanemask_eq")
KS_PTX_REGISTER(lanemask_le, "lanemask_le")
KS_PTX_REGISTER(lanemask_lt, "lanemask_lt")
KS_PTX_REGISTER(lanemask_ge, "lanemask_ge")
KS_PTX_REGISTER(lanemask_gt, "lanemask_gt")
KS_PTX_REGISTER(clock, "clock")
KS_PTX_REGISTER(cluster_ctarank, "cluster_ctarank")
KS_PTX_REGISTER(cluster_nctarank, "cluster_nctarank")
}  // namespace ptx
}  // namespace cuda
