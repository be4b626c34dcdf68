"""Warp matrix functions on the CPU: a warp's product is that of the matrices, whatever the
shape, types and layouts.
"""

from __future__ import annotations

import struct
from typing import Any

import pytest

from crawler.model import Dialect, KernelUnit, Status
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import Buffer, KernelLaunch, pointer_argument
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/cuda.cuh>
#include <mma.h>
using namespace nvcuda;
template <int M, int N, int K, typename T, typename P, typename C, typename LA, typename LB>
__device__ void product(const float* a, const float* b, float* d, wmma::layout_t out) {
  __shared__ P left[M * K], right[K * N];
  __shared__ C sums[M * N];
  for (int at = threadIdx.x; at < M * K; at += 32) left[at] = static_cast<P>(a[at]);
  for (int at = threadIdx.x; at < K * N; at += 32) right[at] = static_cast<P>(b[at]);
  __syncthreads();
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> of_a;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> of_b;
  wmma::fragment<wmma::accumulator, M, N, K, C> sum;
  wmma::fill_fragment(sum, static_cast<C>(1));
  wmma::load_matrix_sync(of_a, left, std::is_same<LA, wmma::row_major>::value ? K : M);
  wmma::load_matrix_sync(of_b, right, std::is_same<LB, wmma::row_major>::value ? N : K);
  wmma::mma_sync(sum, of_a, of_b, sum);
  for (int at = 0; at < sum.num_elements; ++at) sum.x[at] = sum.x[at] + sum.x[at];
  wmma::store_matrix_sync(sums, sum, out == wmma::mem_row_major ? N : M, out);
  __syncthreads();
  for (int at = threadIdx.x; at < M * N; at += 32) d[at] = static_cast<float>(sums[at]);
  __syncthreads();
}
// is there, whoever it is that would call it
__device__ void bits(wmma::fragment<wmma::accumulator, 8, 8, 128, int>& sum) {
  using one = wmma::experimental::precision::b1;
  wmma::fragment<wmma::matrix_a, 8, 8, 128, one, wmma::row_major> of_a;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, one, wmma::col_major> of_b;
  wmma::load_matrix_sync(of_a, static_cast<const one*>(nullptr), 128);
  wmma::bmma_sync(sum, of_a, of_b, sum, wmma::experimental::bmmaBitOpXOR, wmma::experimental::bmmaAccumulateOpPOPC);
}
__global__ void k(const float* a, const float* b, float* d) {
  using wmma::col_major;
  using wmma::row_major;
  product<16, 16, 16, __half, __half, float, row_major, col_major>(a, b, d, wmma::mem_row_major);
  product<32, 8, 16, signed char, signed char, int, col_major, row_major>(a, b, d + 256, wmma::mem_col_major);
  product<8, 32, 16, __half, __half, __half, row_major, row_major>(a, b, d + 512, wmma::mem_row_major);
  product<16, 16, 8, wmma::precision::tf32, float, float, row_major, row_major>(a, b, d + 768, wmma::mem_row_major);
}
"""
SHAPES = (
    (16, 16, 16, "rc", "r"),
    (32, 8, 16, "cr", "c"),
    (8, 32, 16, "rr", "r"),
    (16, 16, 8, "rr", "r"),
)


@pytest.fixture(scope="module")
def products(making: Any) -> Any:
    return making.unit(SOURCE, "k", Dialect.CUDA)


def run(unit: KernelUnit, threads: int, a: list[float], b: list[float]) -> Execution:
    program = build_cpu_program(
        unit, BuildOptions(trace=True, sanitise=True, fast_build=True)
    )
    assert program.verdict.status is Status.PASS, program.verdict.message
    buffers = (
        *(Buffer(size=2048, content=struct.pack("512f", *matrix)) for matrix in (a, b)),
        Buffer(size=4096),
    )
    arguments = tuple(pointer_argument(number) for number in range(3))
    return run_launches(
        program,
        [
            KernelLaunch(
                grid=(1, 1, 1),
                block=(threads, 1, 1),
                buffers=buffers,
                arguments=arguments,
            )
        ],
    )[0]


def test_a_warps_product_is_that_of_the_matrices(products: KernelUnit) -> None:
    a, b = ([float((m * index) % 7 - 3) for index in range(512)] for m in (3, 5))
    ended = run(products, 32, a, b)
    assert ended.outcome is Outcome.DONE, ended.findings
    assert not ended.findings
    sums = struct.unpack("1024f", ended.buffers[2])
    for number, (rows, columns, depth, layouts, out) in enumerate(SHAPES):

        def place(row: int, column: int, height: int, width: int, layout: str) -> int:
            return row * width + column if layout == "r" else column * height + row

        for row in range(rows):
            for column in range(columns):
                expected = 1 + sum(
                    a[place(row, inner, rows, depth, layouts[0])]
                    * b[place(inner, column, depth, columns, layouts[1])]
                    for inner in range(depth)
                )
                assert (
                    sums[256 * number + place(row, column, rows, columns, out)]
                    == 2 * expected
                )


def test_a_product_of_too_few_lanes_is_found(products: KernelUnit) -> None:
    ended = run(products, 20, [1.0] * 512, [1.0] * 512)
    assert ended.find_finding("inactive-lane") or ended.outcome is not Outcome.DONE
