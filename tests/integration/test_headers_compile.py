"""Device code of many projects' kind compiles against our headers, in both dialects."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from crawler import toolchain
from crawler.headers.flags import compile_flags
from crawler.model import Dialect

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
    "warps": """
    x[0] = __shfl_down_sync(0xffffffff, x[1], 16) + __ballot_sync(0xffffffff, n > 1) + __popc(__activemask());
    __half h = __shfl_xor_sync(0xffffffff, __float2half(x[1]), 1);
    x[1] = __half2float(__hfma(h, h, h)) + __ldg(x + 2) + rsqrtf(x[3]) + __expf(x[4]);
    """,
    "torch": """
    c10::Half h = x[0];
    c10::BFloat16 b = static_cast<float>(h) + 1.0f;
    x[1] = static_cast<float>(h * h) + static_cast<float>(b);
    gpuAtomicAdd(x, 2.0);
    gpuAtomicAdd(reinterpret_cast<double*>(x), 1.0f);
    """,
}


@pytest.mark.parametrize("dialect", list(Dialect))
@pytest.mark.parametrize("name", KERNELS)
def test_device_code_compiles(name: str, dialect: Dialect, tmp_path: Path) -> None:
    clang = toolchain.clang()
    assert clang is not None
    cuda = dialect is Dialect.CUDA
    source = tmp_path / "unit"
    source.write_text(
        f"{CUDA_PRELUDE if cuda else HIP_PRELUDE}\n__global__ void k(float* x, int n) {{{KERNELS[name]}}}\n"
    )
    flags = compile_flags(dialect, "sm_80" if cuda else "gfx90a")
    made = tmp_path / "made"
    ended = subprocess.run([clang.path, *flags, source, "-o", made], capture_output=True, text=True, timeout=120)
    assert re.findall(r"error: .*", ended.stderr) == []
    assert made.stat().st_size > 0
