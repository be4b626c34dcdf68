"""A template in a header, whose includer has macros of its parameters' names behind it, has a
unit that compiles at its first try.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from crawler.extract.link import link_kernels
from crawler.extract.translation_unit_facts import extract_unit_facts
from crawler.model import CompileCommand, Dialect, FlagsOrigin
from crawler.port.port import port_unit
from crawler.validate.build import build_unit

HEADER = """#define SLDA(N) ((N) + 1)
template <typename T, const int BLK_M, const int DIM_X> __global__ void gemm(T* C, const T* A) {
  extern __shared__ T* sdata[];
  T* sA = (T*)sdata + SLDA(BLK_M);
  sA[threadIdx.x] = A[threadIdx.x * DIM_X];
  C[threadIdx.x] = sA[threadIdx.x];
}
"""
SOURCE = """#include "gemm.cuh"
#define BLK_M 24
#define DIM_X 8
void run(double* C, const double* A) { gemm<double, BLK_M, DIM_X><<<1, 64>>>(C, A); }
"""


@pytest.mark.apt("clang-19")
def test_it_compiles_for_both_makers(tmp_path: Path) -> None:
    (tmp_path / "gemm.cuh").write_text(HEADER)
    (tmp_path / "run.cu").write_text(SOURCE)
    command = CompileCommand(
        directory=".",
        file="run.cu",
        arguments=(),
        dialect=Dialect.CUDA,
        origin=FlagsOrigin.EXPORTED,
    )
    (kernel,) = link_kernels([extract_unit_facts(tmp_path, command)])

    assert kernel.unit
    assert "#define BLK_M" not in kernel.unit.source
    for variant, target in ((kernel.unit, "sm_80"), (port_unit(kernel.unit), "gfx90a")):
        assert build_unit(variant, target).build.pass_call.message == ""
