"""Device code of many projects' kind compiles against our headers, in both dialects."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from crawler.model import Dialect
from crawler.port.port import port_text
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags

pytestmark = pytest.mark.apt

CUDA_PRELUDE = """
#include <kernelset/torch.cuh>
#include <cooperative_groups.h>
#include <cub/cub.cuh>
#include <curand_kernel.h>
#include <thrust/thrust.h>
#include <array>
#define LIB cub
#define RAND(name) curand##name
"""
HIP_PRELUDE = """
#include <kernelset/torch.hip.h>
#include <hip/hip_cooperative_groups.h>
#include <hipcub/hipcub.hpp>
#include <hiprand/hiprand_kernel.h>
#include <thrust/thrust.h>
#include <array>
#define LIB hipcub
#define RAND(name) hiprand##name
"""
KERNELS = {
    "groups": """
    namespace cg = cooperative_groups;
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<32>(block);
    auto some = cg::labeled_partition(tile, n);
    x[0] = cg::reduce(tile, x[1], cg::plus<float>()) + cg::reduce(some, x[2], cg::greater<float>());
    x[3] = tile.shfl_xor(x[4], 1) + some.shfl(x[5], 0) + tile.meta_group_rank();
    struct Pair { float key; int value; } pair = tile.shfl_down(Pair{x[5], n}, 2);
    x[6] = tile.shfl_up(make_uint4(1, 2, 3, 4), 2).w + pair.key + pair.value;
    if (cg::coalesced_threads().thread_rank() == 0) cg::sync(block);
    """,
    "cub": """
    using Reduce = LIB::BlockReduce<float, 128>;
    using Scan = LIB::BlockScan<int, 128>;
    using Sort = LIB::BlockRadixSort<unsigned, 128, 4>;
    __shared__ union { typename Reduce::TempStorage reduce; typename Scan::TempStorage scan;
                       typename Sort::TempStorage sort; } room;
    x[0] = Reduce(room.reduce).Sum(x[threadIdx.x]);
    __syncthreads();
    int before = 0;
    Scan(room.scan).ExclusiveSum(n, before);
    __syncthreads();
    unsigned keys[4] = {1, 2, 3, unsigned(before)};
    Sort(room.sort).Sort(keys);
    using Layout = LIB::BlockRakingLayout<float4, 128>;
    __shared__ typename Layout::TempStorage raking;
    float4 segment = *Layout::RakingPtr(raking, threadIdx.x);
    *Layout::PlacementPtr(raking, threadIdx.x) = LIB::ShuffleDown<32>(segment, 1, 31, LIB::WarpMask<32>(0));
    x[1] = keys[0];
    """,
    "random": """
    RAND(StatePhilox4_32_10_t) state;
    RAND(_init)(7, blockIdx.x, 0, &state);
    x[0] = RAND(_uniform)(&state) + RAND(_normal)(&state) + RAND(_uniform4)(&state).w;
    """,
    "thrust": """
    thrust::pair<int, float> both = thrust::make_pair(n, x[0]);
    x[1] = thrust::max(both.second, 1.0f) + thrust::reduce(thrust::seq, x, x + n) + thrust::plus<float>()(x[0], x[1]);
    """,
    "standard": """
    std::array<float, 4> values{};
    values.at(n) = x[n];
    std::memset(x, 0, 16);
    std::memcpy(x, values.data(), 16);
    x[0] = std::max(x[1], x[2]) + fma(x[1], x[2], x[3]) + log1p(x[1]) + std::numeric_limits<float>::max();
    """,
    "places": """
    for (auto i = threadIdx.x; i < n; i += blockDim.x) x[i] = 0;
    const uint3 here = blockIdx;
    dim3 all = gridDim;
    unsigned most = max(here.x, all.y), least = min(threadIdx.y, blockDim.y);
    x[blockIdx.x * blockDim.x + threadIdx.x] = most * least;
    """,
    "warps": """
    x[0] = __shfl_down_sync(0xffffffff, x[1], 16) + __ballot_sync(0xffffffff, n > 1) + __popc(__activemask());
    __half h = __shfl_xor_sync(0xffffffff, __float2half(x[1]), 1);
    x[1] = __half2float(__hfma(h, h, h)) + __ldg(x + 2) + rsqrtf(x[3]) + __expf(x[4]);
    x[2] = __low2float(-__float2half2_rn(x[5]));
    """,
    "warps without a mask": """
    x[0] = __shfl(x[1], 3) + __shfl_up(x[2], 1u) + __shfl_down(n, 2u) + __shfl_xor(x[4], 4, 16);
    x[1] = __shfl(1.0, 3) + __shfl_xor(1ull, 1);
    x[2] = __ballot(n > 1) + __any(n) + __all(n) + __popc(__activemask());
    """,
    "torch": """
    c10::Half h = x[0];
    c10::BFloat16 b = static_cast<float>(h) + 1.0f;
    x[1] = static_cast<float>(h * h) + static_cast<float>(b);
    gpuAtomicAdd(x, 2.0);
    gpuAtomicAdd(reinterpret_cast<double*>(x), 1.0f);
    gpuAtomicAdd(reinterpret_cast<c10::complex<float>*>(x), c10::complex<float>(1.0f, 2.0f));
    """,
}

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
  x[2] = static_cast<float>(__nv_fp8_e8m0(x[2])) + static_cast<float>(c10::Float8_e8m0fnu(x[3]));
}
"""


ALLOWED_BY_NVCC = """
#include <kernelset/cuda.cuh>
#include <cuda_fp16.h>
struct __align__(8) Pair { int x, y; };
__global__ __maxnreg__(64) void k(const __grid_constant__ Pair pair, float f, long n, int* x) {
  unsigned long long word = n;
  asm("bfe.u64 %0, %1, %2, %3;" : "=l"(word) : "l"(static_cast<unsigned long>(word)), "r"(x[0]), "r"(x[1]));
  asm("bfi.b32 %0, %1, %2, %3, 4;" : "=r"(x[2]) : "r"(x[0]), "r"(pair.y), "r"(8));
  register int first = pair.x + word;
  const int list[2] = {f, n};
  __shared__ __half2 pairs[2];
  reinterpret_cast<__half2*>(pairs)[1] = {};
  *pairs = {};
  x[threadIdx.x] = first + list[0];
}
"""


@pytest.mark.parametrize("dialect", list(Dialect))
def test_what_nvcc_at_most_warns_of_compiles(dialect: Dialect, tmp_path: Path) -> None:
    text = ALLOWED_BY_NVCC if dialect is Dialect.CUDA else port_text(ALLOWED_BY_NVCC)[0]
    assert errors(text, dialect, tmp_path) == []


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("name", KERNELS)
def test_device_code_compiles(name: str, dialect: Dialect, tmp_path: Path) -> None:
    prelude = CUDA_PRELUDE if dialect is Dialect.CUDA else HIP_PRELUDE
    assert (
        errors(
            f"{prelude}\n__global__ void k(float* x, int n) {{{KERNELS[name]}}}\n",
            dialect,
            tmp_path,
        )
        == []
    )


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
    assert errors(CLUSTERS, Dialect.CUDA, tmp_path, arch) == []


def test_cuda_has_floats_of_four_and_six_bits(tmp_path: Path) -> None:
    assert errors(SMALL_FLOATS, Dialect.CUDA, tmp_path) == []


OF_THE_HOST_TOO = """
#include <kernelset/torch_parse.cuh>
class Table {
 public:
  Table(torch::Tensor keys) : keys(keys.data_ptr<int>()) { cudaMalloc((void**)&keys, 4); }
  struct View { int* keys; __device__ int at(int place) const { return keys[place]; } };
  cudaStream_t stream() const { return at::cuda::getCurrentCUDAStream(); }
 private:
  int* keys;
};
__global__ void k(Table::View table, float* x) { x[0] = table.at(threadIdx.x); }
"""


@pytest.mark.parametrize("dialect", list(Dialect))
def test_classes_with_members_of_the_host_compile_and_so_do_their_ports(
    dialect: Dialect, tmp_path: Path
) -> None:
    text = OF_THE_HOST_TOO if dialect is Dialect.CUDA else port_text(OF_THE_HOST_TOO)[0]
    assert errors(text, dialect, tmp_path) == []


def errors(text: str, dialect: Dialect, folder: Path, arch: str = "sm_80") -> list[str]:
    clang = discovery.find_clang()
    assert clang is not None
    source, made = folder / "unit", folder / "made"
    source.write_text(text)
    flags = get_compile_flags(dialect, arch if dialect is Dialect.CUDA else "gfx90a")
    ended = subprocess.run(
        [clang.path, *flags, source, "-o", made],
        capture_output=True,
        text=True,
        timeout=120,
    )
    found = re.findall(r"error: .*", ended.stderr)
    assert found or made.stat().st_size > 0
    return found


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
    assert errors(COPIES, Dialect.CUDA, tmp_path) == []


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
    assert errors(INSTRUCTIONS, Dialect.CUDA, tmp_path, arch="sm_90") == []


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
    assert errors(TEXTURES, Dialect.CUDA, tmp_path) == []


RAW = """
#include <kernelset/cuda.cuh>
#include <nccl.h>
#include <cub/cub.cuh>
struct Holder { ncclComm_t communicator; };
__global__ void k(__half *a, __half2 *b, Holder held) {
  constexpr __half_raw infinite = {0x7C00};
  constexpr __half2_raw both = {0x7C00, 0xFC00};
  a[0] = infinite;
  b[0] = both;
  __half copied = infinite;
  a[1] = __half(infinite);
  a[2] = copied;
  __half_raw written;
  written.x = static_cast<__half_raw>(a[3]).x + CUB_WARP_THREADS(0);
  a[4] = written;
  const __half2_raw pair = b[1];
  b[2] = __half2(pair);
}
"""


def test_bits_of_a_half_are_bits_in_a_port_too(tmp_path: Path) -> None:
    assert errors(RAW, Dialect.CUDA, tmp_path) == []
    source, _ = port_text(RAW)
    (tmp_path / "ported").write_text(source)
    clang = discovery.find_clang()
    assert clang is not None
    flags = (*get_compile_flags(Dialect.HIP, "gfx90a"), "-S", "-emit-llvm", "-o", "-")
    ended = subprocess.run(
        [clang.path, *flags, tmp_path / "ported"],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ended.returncode == 0, ended.stderr
    assert "store half 0xH7C00" in ended.stdout
    assert "<half 0xH7C00, half 0xHFC00>" in ended.stdout


PACKED = """
#include <kernelset/cuda.cuh>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>
#include <cuda/std/cmath>
__global__ void k(float *x, unsigned *packed) {
  const __nv_fp4x4_e2m1 four(make_float4(x[0], x[1], x[2], x[3]));
  const __half2_raw two = __nv_cvt_fp4x2_to_halfraw2(four.__x & 0xff, __NV_E2M1);
  x[0] = static_cast<float4>(four).w + __low2float(__half2(two)) + static_cast<float>(__nv_fp6_e3m2(x[4]));
  packed[0] = __nv_cvt_float2_to_fp6x2(make_float2(x[1], x[2]), __NV_E2M3, cudaRoundNearest);
  asm volatile("{ .reg .b8 low, high; cvt.rn.satfinite.e2m1x2.f32 low, %2, %1;"
               "cvt.rn.satfinite.e2m1x2.f32 high, %4, %3;"
               "mov.b32 %0, {low, high, low, high}; }" : "=r"(packed[1]) : "f"(x[5]), "f"(x[6]), "f"(x[7]), "f"(x[8]));
  unsigned short codes;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(codes) : "f"(x[9]), "f"(x[10]));
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(packed[2]) : "h"(codes));
  asm("cvt.rn.satfinite.e5m2x2.f16x2 %0, %1;" : "=h"(codes) : "r"(packed[2]));
  static constexpr __nv_bfloat16 small = (__nv_bfloat16_raw{.x = 11996});
  const __nv_bfloat162 both(small, __float2bfloat16_rd(x[6]));
  packed[3] = __nv_cvt_bfloat16raw2_to_fp8x2(static_cast<__nv_bfloat162_raw>(both), __NV_SATFINITE, __NV_E4M3);
  x[2] = __high2float(__highs2bfloat162(both, __low2bfloat162(both)));
  x[3] = __bfloat162float(hlog2(both.x)) + __high2float(h2tanh(__hmax2_nan(both, both))) + __hbeq2(both, both);
  x[4] = __low2float(__hfma2_relu(both, __heq2(both, both), __lowhigh2highlow(both)));
  x[6] = __bfloat162float(__hmax_nan(both.x, small));
  x[5] = __half2float(hlog2(__float2half(x[6]))) + __half2float(htanh(__float2half(x[7])));
  x[1] = __fmul_rz(x[1], x[2]) + __fmaf_rd(x[3], x[4], x[5]) + codes;
  x[7] = __bfloat162float(static_cast<__nv_bfloat16>(__float2half(x[8]))) + static_cast<float>(__nv_fp8_e8m0(x[9]));
  const __nv_bfloat16 scale = __nv_cvt_e8m0_to_bf16raw(__nv_cvt_float_to_e8m0(x[8], __NV_NOSAT, cudaRoundPosInf));
  x[8] = __bfloat162float(scale) * cuda::std::isfinite(scale) * cuda::std::isnan(__float2half(x[9]));
}
"""


def test_floats_of_four_and_six_bits_and_rounding_modes_are_ported(
    tmp_path: Path,
) -> None:
    source, report = port_text(PACKED)
    assert report.blockers == ()
    assert errors(source, Dialect.HIP, tmp_path) == []


VECTORS_OF_HIP = """#include <kernelset/hip.h>
union Word { double d; float2 f2[2]; float4 f4; };
static_assert(std::is_trivially_copy_assignable_v<float2> && std::is_trivially_copyable_v<longlong4>);
__global__ void k(Word* to, const Word* from, float2* out, uchar4 bytes, long2 longs) {
  Word word;
  word = from[threadIdx.x];
  to[threadIdx.x] = word;
  float2 a = make_float2(1, 2), b = a * 2.0f + a;
  b.x += bytes.x + longs.y + make_float3(1, 2, 3).z + make_float1(3).x;
  constexpr float4 four(1, 2, 3, 4);
  out[0] = b;
  out[1] = {four.x, four.w};
  if (int2{3, 4} == make_int2(3, 4)) out[2] = float2(7.0f);
}
"""


def test_vectors_of_hip_are_copied_as_in_its_newer_headers(tmp_path: Path) -> None:
    assert errors(VECTORS_OF_HIP, Dialect.HIP, tmp_path) == []


PATHS_TO_HALVES = """#include <kernelset/hip.h>
__global__ void k(__half2* pairs, __half* ones, const __half2* from) {
  pairs[0] = ::h2exp(from[0]);
  pairs[1] = h2rsqrt(from[1]);
  ones[0] = ::hsin(ones[1]);
  ones[2] = hexp(ones[3]) + ::htanh(ones[4]) + htanh(ones[5]);
  pairs[2] = ::h2tanh(from[2]);
}
"""


def test_functions_of_bfloat16_hide_none_of_halves(tmp_path: Path) -> None:
    assert errors(PATHS_TO_HALVES, Dialect.HIP, tmp_path) == []
