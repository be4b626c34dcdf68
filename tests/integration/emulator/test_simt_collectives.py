"""Cooperative groups and cub on the CPU: what threads compute together is what one thread would
compute alone.
"""

from __future__ import annotations

import itertools
import struct
from dataclasses import replace
from typing import Any

import pytest

from crawler.model import Dialect, Instantiation, Status
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import (
    Buffer,
    KernelLaunch,
    ThreadOrder,
    pointer_argument,
    value_argument,
)
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.run_program import run_launches

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/cuda.cuh>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cub/cub.cuh>
namespace cg = cooperative_groups;
template <int Case> struct is {};

__device__ void body(is<0>, const int* a, int* out, int n) {  // tiles of eight, each adds up its own
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
  int total = cg::reduce(tile, a[threadIdx.x], cg::plus<int>());
  out[threadIdx.x] = total + (tile.thread_rank() == 0 ? 1000 * tile.meta_group_rank() : 0);
}
__device__ void body(is<1>, const int* a, int* out, int n) {  // who came into the branch counts together
  out[threadIdx.x] = -1;
  if (a[threadIdx.x] % 3 == 0) {
    cg::coalesced_group group = cg::coalesced_threads();
    out[threadIdx.x] = 100 * group.size() + group.thread_rank();
  }
}
__device__ void body(is<2>, const int* a, int* out, int n) {  // what all blocks wrote is seen after the grid's barrier
  __shared__ int own;
  if (threadIdx.x == 0) own = blockIdx.x;
  out[blockIdx.x * blockDim.x + threadIdx.x] = a[threadIdx.x] + blockIdx.x;
  cg::this_grid().sync();
  int next = out[(blockIdx.x + 1) % gridDim.x * blockDim.x + threadIdx.x];
  cg::this_grid().sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1000 * own + next;
}
__device__ void body(is<3>, const int* a, int* out, int n) {
  using Reduce = cub::BlockReduce<int, 64>;
  __shared__ typename Reduce::TempStorage storage;
  int total = Reduce(storage).Sum(a[threadIdx.x]);
  if (threadIdx.x == 0) out[0] = total;
}
__device__ void body(is<4>, const int* a, int* out, int n) {
  using Scan = cub::BlockScan<int, 64>;
  __shared__ typename Scan::TempStorage storage;
  int before;
  Scan(storage).ExclusiveSum(a[threadIdx.x], before);
  out[threadIdx.x] = before;
}
__device__ void body(is<5>, const int* a, int* out, int n) {
  using Load = cub::BlockLoad<int, 32, 2, cub::BLOCK_LOAD_TRANSPOSE>;
  using Sort = cub::BlockRadixSort<int, 32, 2>;
  using Store = cub::BlockStore<int, 32, 2, cub::BLOCK_STORE_TRANSPOSE>;
  __shared__ union {
    typename Load::TempStorage load;
    typename Sort::TempStorage sort;
    typename Store::TempStorage store;
  } storage;
  int items[2];
  Load(storage.load).Load(a, items);
  __syncthreads();
  Sort(storage.sort).SortDescending(items);
  __syncthreads();
  Store(storage.store).Store(out, items);
}
__device__ void body(is<6>, const int* a, int* out, int n) {
  using Reduce = cub::WarpReduce<int, 16>;
  __shared__ typename Reduce::TempStorage storage[4];
  int most = Reduce(storage[threadIdx.x / 16]).Reduce(a[threadIdx.x], cub::Max());
  if (threadIdx.x % 16 == 0) out[threadIdx.x / 16] = most;
}
__device__ void body(is<7>, const int* a, int* out, int n) {  // a cluster is one block, and has no other's memory
  auto cluster = cg::this_cluster();
  __shared__ int total;
  if (threadIdx.x == 0) total = 100 * cluster.num_blocks() + cluster.block_rank();
  cluster.sync();
  out[threadIdx.x] = *cluster.map_shared_rank(&total, n == 64 ? 0 : 1) + a[threadIdx.x];
}
template <int Case> __global__ void k(const int* a, int* out, int n) { body(is<Case>(), a, out, n); }
""" + "".join(
    f"template __global__ decltype(k<{case}>) k<{case}>;\n" for case in range(8)
)
VALUES = [(index * 37 + 11) % 64 for index in range(64)]


@pytest.fixture(scope="module")
def program(making: Any) -> Program:
    unit = making.unit(SOURCE, "k", Dialect.CUDA)
    cases = tuple(
        Instantiation(arguments=(str(case),), label=str(case)) for case in range(8)
    )
    made = build_cpu_program(
        replace(unit, instantiations=cases), BuildOptions(trace=True)
    )
    assert made.verdict.status is Status.PASS, made.verdict.message
    return made


def launch(
    case: int,
    *,
    out: int = 64,
    blocks: int = 1,
    threads: int = 64,
    n: int = 64,
    order: ThreadOrder = ThreadOrder.FORWARD,
) -> KernelLaunch:
    return KernelLaunch(
        entry=case,
        grid=(blocks, 1, 1),
        block=(threads, 1, 1),
        buffers=(
            Buffer(size=256, content=struct.pack("64i", *VALUES)),
            Buffer(size=4 * out),
        ),
        arguments=(
            pointer_argument(0),
            pointer_argument(1),
            value_argument(struct.pack("i", n)),
        ),
        order=order,
        max_seconds=5,
    )


def result(execution: Execution) -> list[int]:
    assert execution.outcome is Outcome.DONE, execution.findings
    assert [finding.kind for finding in execution.findings] == []
    return list(
        struct.unpack(f"{len(execution.buffers[1]) // 4}i", execution.buffers[1])
    )


@pytest.mark.parametrize("order", list(ThreadOrder))
def test_groups_and_cub_agree_with_one_thread(
    program: Program, order: ThreadOrder
) -> None:
    tiles, branch, grid, total, scan, ordered, most = run_launches(
        program,
        [
            launch(0, order=order),
            launch(1, order=order),
            launch(2, out=320, blocks=5, order=order),
            launch(3, out=1, order=order),
            launch(4, order=order),
            launch(5, threads=32, order=order),
            launch(6, out=4, order=order),
        ],
    )
    assert result(tiles)[::8] == [
        sum(VALUES[index : index + 8]) + 125 * index for index in range(0, 64, 8)
    ]
    assert result(tiles)[1] == sum(VALUES[:8])
    chosen = [
        [index for index in range(first, first + 32) if VALUES[index] % 3 == 0]
        for first in (0, 32)
    ]
    assert {
        index: value for index, value in enumerate(result(branch)) if value >= 0
    } == {
        index: 100 * len(warp) + rank
        for warp in chosen
        for rank, index in enumerate(warp)
    }
    assert result(grid) == [
        1000 * block + VALUES[index] + (block + 1) % 5
        for block in range(5)
        for index in range(64)
    ]
    assert result(total) == [sum(VALUES)]
    assert result(scan) == [0, *itertools.accumulate(VALUES[:-1])]
    assert result(ordered) == sorted(VALUES, reverse=True)
    assert result(most) == [
        max(VALUES[index : index + 16]) for index in range(0, 64, 16)
    ]


def test_a_cluster_of_one_block_runs_and_another_blocks_memory_is_refused(
    program: Program,
) -> None:
    alone, beyond = run_launches(program, [launch(7), launch(7, n=1)])
    assert result(alone) == [100 + value for value in VALUES]
    assert beyond.find_finding("unsupported")
