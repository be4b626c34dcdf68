"""Device code of many projects' kind compiles against our headers, in both dialects."""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.model import Dialect
from crawler.port.port import port_text
from tests.integration.headers.header_errors import list_errors

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
#include <math_constants.h>
#define CONSTANT(name) CUDART_##name
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
#include <hip/hip_math_constants.h>
#define CONSTANT(name) HIP_##name
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
    thrust::pair<int, float> other;
    other = both;
    thrust::tuple<int, float, double> three = thrust::make_tuple(n, x[3], 2.0), last;
    last = three;
    thrust::tie(n, x[4]) = other;
    thrust::tie(n, x[5], thrust::ignore) = last;
    auto [key, value] = other;
    auto [first, second, third] = last;
    x[6] = key + value + first + second + third + thrust::get<1>(other) + thrust::get<2>(last);
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
    "atomics of PyTorch": """
    atomicAdd(reinterpret_cast<unsigned char*>(x), static_cast<unsigned char>(n));
    atomicAdd(reinterpret_cast<short*>(x), static_cast<short>(n));
    atomicAdd(reinterpret_cast<c10::Half*>(x), c10::Half(1.0f));
    x[1] = gpuAtomicMul(x + 2, 2) + gpuAtomicMax(x + 3, 1.0f);
    gpuAtomicMin(reinterpret_cast<c10::BFloat16*>(x), c10::BFloat16(x[1]));
    gpuAtomicMul(reinterpret_cast<double*>(x), 2.0);
    """,
    "constants and reciprocals": """
    x[0] = CONSTANT(NORM_HUGE_F) + CONSTANT(PI_LO) + CONSTANT(LN2_X_1024) + __frcp_rz(x[1]) + __frcp_rd(x[2]);
    x[1] = __drcp_ru(x[3]);
    """,
    "atomics with an order and a scope": """
    __nv_atomic_store_n(x, 1.0f, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    unsigned long long* wide = reinterpret_cast<unsigned long long*>(x + 2);
    unsigned* flag = reinterpret_cast<unsigned*>(x + 4);
    unsigned seen = 0;
    x[5] = __nv_atomic_load_n(wide, __NV_ATOMIC_RELAXED) + __nv_atomic_fetch_add(x, 1, __NV_ATOMIC_RELAXED);
    __nv_atomic_add(flag, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_BLOCK);
    __nv_atomic_or(wide, 1, __NV_ATOMIC_ACQ_REL);
    while (!__nv_atomic_compare_exchange_n(flag, &seen, 1, true, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED)) seen = 0;
    x[6] = __nv_atomic_exchange_n(flag, 2, __NV_ATOMIC_SEQ_CST) + __nv_atomic_fetch_max(wide, 3, __NV_ATOMIC_RELAXED);
    __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
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
    assert list_errors(text, dialect, tmp_path) == []


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("name", KERNELS)
def test_device_code_compiles(name: str, dialect: Dialect, tmp_path: Path) -> None:
    prelude = CUDA_PRELUDE if dialect is Dialect.CUDA else HIP_PRELUDE
    assert (
        list_errors(
            f"{prelude}\n__global__ void k(float* x, int n) {{{KERNELS[name]}}}\n",
            dialect,
            tmp_path,
        )
        == []
    )


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
    assert list_errors(text, dialect, tmp_path) == []
