"""Warp matrix functions come out as the instructions that they stand for, whatever the shape
and the types.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from crawler.model import Dialect
from crawler.toolchains import discovery
from crawler.toolchains.clang_flags import get_compile_flags

pytestmark = pytest.mark.apt("clang-19")

PRODUCT = """#include <kernelset/cuda.cuh>
#include <mma.h>
using namespace nvcuda;
template <typename T, int M, int N, int K, typename C, typename LA, typename LB, typename P>
__global__ void product(const P* a, const P* b, C* c) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> left;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> right;
  wmma::fragment<wmma::accumulator, M, N, K, C> sum;
  wmma::fill_fragment(sum, C(0));
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  for (int at = 0; at < sum.num_elements; ++at) sum.x[at] = sum.x[at] + sum.x[at];
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
"""
PRODUCTS = {
    "half, 16, 16, 16, float, wmma::row_major, wmma::col_major, half": "row.col.m16n16k16.f32.f32",
    "half, 32, 8, 16, half, wmma::col_major, wmma::row_major, half": "col.row.m32n8k16.f16.f16",
    "half, 8, 32, 16, float, wmma::row_major, wmma::row_major, half": "row.row.m8n32k16.f32.f32",
    "__nv_bfloat16, 16, 16, 16, float, wmma::col_major, wmma::col_major, __nv_bfloat16": (
        "col.col.m16n16k16.f32.bf16.bf16.f32"
    ),
    "signed char, 32, 8, 16, int, wmma::row_major, wmma::col_major, signed char": "row.col.m32n8k16.s32.s8.s8.s32",
    "unsigned char, 16, 16, 16, int, wmma::row_major, wmma::col_major, unsigned char": (
        "row.col.m16n16k16.s32.u8.u8.s32"
    ),
    "wmma::experimental::precision::s4, 8, 8, 32, int, wmma::row_major, wmma::col_major, void": (
        "row.col.m8n8k32.s32.s4.s4.s32"
    ),
    "wmma::precision::tf32, 16, 16, 8, float, wmma::row_major, wmma::col_major, float": (
        "row.col.m16n16k8.f32.tf32.tf32.f32"
    ),
}
NCCL = """#include <kernelset/cuda.cuh>
#include <nccl.h>
struct Group { ncclComm_t communicator; int rank; void sum(float* p, cudaStream_t s); };
void Group::sum(float* p, cudaStream_t s) {
  if (ncclAllReduce(p, p, 4, ncclFloat, ncclSum, communicator, s) != ncclSuccess) ncclGetErrorString(ncclSystemError);
}
__global__ void k(Group group, int* out) { out[0] = group.rank; }
"""


@pytest.fixture
def ptx(tmp_path: Path) -> Callable[[str], str]:
    def compile_device_code(text: str) -> str:
        clang = discovery.find_clang()
        assert clang is not None
        (tmp_path / "unit.cu").write_text(text)
        argv: list[str | Path] = [
            clang.path,
            *get_compile_flags(Dialect.CUDA, "sm_80"),
            tmp_path / "unit.cu",
            "-o",
            tmp_path / "unit.s",
        ]
        ended = subprocess.run(argv, capture_output=True, text=True, timeout=120)
        assert re.findall(r"error: .*", ended.stderr) == []
        return (tmp_path / "unit.s").read_text()

    return compile_device_code


def test_each_product_is_one_instruction(ptx: Callable[[str], str]) -> None:
    lines = [
        f"template __global__ decltype(product<{product}>) product<{product}>;"
        for product in PRODUCTS
    ]
    made = ptx("\n".join([PRODUCT, *lines]))
    assert re.findall(r"wmma\.mma\.sync\.aligned\.([\w.]+)", made) == list(
        PRODUCTS.values()
    )
    assert (
        made.count("wmma.load.a.sync")
        == made.count("wmma.store.d.sync")
        == len(PRODUCTS)
    )


def test_a_product_of_bits_is_one_instruction(ptx: Callable[[str], str]) -> None:
    bits = "wmma::experimental::precision::b1"
    source = PRODUCT.replace("wmma::mma_sync", "wmma::bmma_sync").replace(
        "left, a", "left, (uint32_t *)a"
    )
    arguments = f"{bits}, 8, 8, 128, int, wmma::row_major, wmma::col_major, void"
    made = ptx(
        f"{source}template __global__ decltype(product<{arguments}>) product<{arguments}>;\n"
    )
    assert "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32" in made
    assert made.count("wmma.load.") == 2


def test_a_class_may_hold_a_communicator(ptx: Callable[[str], str]) -> None:
    assert ".entry" in ptx(NCCL)
