"""What devices do beside arithmetic compiles against our headers: clusters, copies, textures."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import Dialect
from tests.integration.headers.header_errors import list_errors

pytestmark = pytest.mark.apt

SMALL_FLOATS = """
#include <kernelset/torch.cuh>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
__global__ void k(float* x) {
  const __nv_fp4x4_e2m1 four(make_float4(x[0], x[1], x[2], x[3]));
  const __half2_raw two = __nv_cvt_fp4x2_to_halfraw2(four.__x & 0xff, __NV_E2M1);
  x[6] = __nv_cvt_halfraw2_to_fp8x2(__half2(two), __NV_SATFINITE, __NV_E4M3);
  x[0] = static_cast<float4>(four).w + __low2float(two) + static_cast<float>(__nv_fp6_e3m2(x[4]));
  x[1] = __nv_cvt_float2_to_fp6x2(make_float2(x[1], x[2]), __NV_E2M3, cudaRoundNearest);
  x[1] += __nv_cvt_bfloat16raw_to_fp6(__nv_bfloat16_raw{1}, __NV_E2M3, cudaRoundNearest);
  x[1] += __nv_cvt_double_to_e8m0(x[1], __NV_NOSAT, cudaRoundZero);
  x[1] += __isConstant(x) + __isLocal(x) + __isGridConstant(x);
  x[2] = static_cast<float>(__nv_fp8_e8m0(x[2])) + static_cast<float>(c10::Float8_e8m0fnu(x[3]));
}
"""


CLUSTERS = """
#include <kernelset/cuda.cuh>
#include <cooperative_groups.h>
__global__ void k(float* x) {
  __shared__ float sum;
  auto cluster = cooperative_groups::this_cluster();
  cluster.barrier_wait(cluster.barrier_arrive());
  x[cluster.thread_rank()] = *cluster.map_shared_rank(&sum, 1) + cluster.num_blocks() + cluster.dim_blocks().x;
  cooperative_groups::sync(cluster);
  __cluster_barrier_arrive();
  __cluster_barrier_wait();
  cudaTriggerProgrammaticLaunchCompletion();
}
"""


@pytest.mark.parametrize("arch", ["sm_80", "sm_90"])
def test_clusters_compile_where_there_are_none_too(arch: str, tmp_path: Path) -> None:
    assert list_errors(CLUSTERS, Dialect.CUDA, tmp_path, arch) == []


def test_cuda_has_floats_of_four_and_six_bits(tmp_path: Path) -> None:
    assert list_errors(SMALL_FLOATS, Dialect.CUDA, tmp_path) == []


COPIES = """
#include <kernelset/pipeline.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k(float* x) {
  __shared__ float tile[64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ cg::block_tile_memory<256> memory;
  auto block = cg::this_thread_block(memory);
  auto large = cg::tiled_partition<128>(block);
  auto shared = cuda::make_pipeline(block, &state);
  shared.producer_acquire();
  cuda::memcpy_async(block, tile, x, sizeof(tile), shared);
  shared.producer_commit();
  shared.consumer_wait();
  auto own = cuda::make_pipeline();
  cuda::memcpy_async(tile + 1, x + 1, cuda::aligned_size_t<4>(4), own);
  cuda::pipeline_consumer_wait_prior<0>(own);
  shared.consumer_release();
  __pipeline_memcpy_async(tile, x, 4, 2);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  large.sync();
  x[threadIdx.x] = tile[threadIdx.x];
}
"""


def test_asynchronous_copies_compile(tmp_path: Path) -> None:
    assert list_errors(COPIES, Dialect.CUDA, tmp_path) == []


INSTRUCTIONS = """
#include <kernelset/libcudacxx.h>
using namespace cuda::ptx;
__global__ void k(unsigned *out, const char *in) {
  alignas(16) __shared__ char room[1024];
  __shared__ uint64_t bar;
  mbarrier_init(&bar, 32);
  fence_mbarrier_init(sem_release, scope_cluster);
  fence_proxy_async(space_shared);
  cp_async_bulk(space_shared, space_global, room, in, 1024, &bar);
  cp_async_bulk(space_cluster, space_shared, room, room + 512, 512, &bar);
  cp_async_bulk(space_global, space_shared, out, room, 1024);
  cp_async_bulk_commit_group();
  cp_async_bulk_wait_group_read(n32_t<1>());
  uint64_t state = mbarrier_arrive_expect_tx(sem_release, scope_cta, space_shared, &bar, 1024);
  mbarrier_expect_tx(sem_relaxed, scope_cluster, space_shared, &bar, 4);
  state += mbarrier_arrive(&bar) + mbarrier_arrive(sem_release, scope_cta, space_shared, &bar);
  mbarrier_arrive(sem_release, scope_cluster, space_cluster, &bar);
  while (!mbarrier_try_wait(&bar, state) || !mbarrier_test_wait(&bar, state)) {}
  while (!mbarrier_try_wait_parity(sem_acquire, scope_cta, &bar, 0u) || !mbarrier_test_wait_parity(&bar, 1u)) {}
  fence(sem_sc, scope_gpu);
  barrier_cluster_arrive();
  barrier_cluster_wait();
  out[get_sreg_laneid()] = room[1] + *mapa(space_cluster, out, 1) + get_sreg_lanemask_le() + get_sreg_cluster_ctarank();
}
"""


def test_instructions_of_ptx_compile(tmp_path: Path) -> None:
    assert list_errors(INSTRUCTIONS, Dialect.CUDA, tmp_path, arch="sm_90") == []


TEXTURES = """
#include <kernelset/cuda.cuh>
#include <curand_kernel.h>
__global__ void k(float* x, CUtexObject texture, cudaSurfaceObject_t surface, curandDirectionVectors32_t* vectors) {
  curandStateSobol32_t state;
  curand_init(vectors[0], 4u, &state);
  x[0] = texCubemap<float>(texture, x[0], x[1], x[2]) + tex2DLayered<float4>(texture, x[3], x[4], 1).x;
  surf2Dwrite(x[0], surface, 4, 5, cudaBoundaryModeTrap);
  x[1] = surf1Dread<float>(surface, 4) + curand_uniform(&state);
}
"""


def test_textures_and_quasi_random_numbers_are_declared(tmp_path: Path) -> None:
    assert list_errors(TEXTURES, Dialect.CUDA, tmp_path) == []
