"""What PyTorch's own device headers have for kernels of others: it compiles, and computes right."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import pytest

from crawler.model import Dialect
from crawler.validate.emulator.launch import (
    Buffer,
    KernelLaunch,
    pointer_argument,
    value_argument,
)
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches
from tests.integration.headers.header_errors import list_errors

pytestmark = pytest.mark.apt
PRELUDES = {Dialect.CUDA: "torch.cuh", Dialect.HIP: "torch.hip.h"}
COUNT = 97
BODY = """
struct Largest {
  __device__ float combine(float a, float b) const { return a < b ? b : a; }
  __device__ float warp_shfl_down(float value, int offset) const { return WARP_SHFL_DOWN(value, offset); }
};
// a project's own, which PyTorch has at namespace scope too
template <int count> struct OffsetCalculator { int offsets[count]; };
using T = float;
__global__ void k(const T* x, T* out, int n) {
  using limits = at::numeric_limits<T>;
  __shared__ T sums[at::native::cuda_utils::kCUDABlockReduceMaxThreads];
  const int at = threadIdx.x;
  const T value = at < n ? x[at] : T(0);
  const T sum = at::native::cuda_utils::BlockReduceSum(value, sums);
  const T most = at::native::cuda_utils::BlockReduce(value, Largest(), T(limits::lower_bound()), sums);
  const at::cuda::detail::IntDivider<uint32_t> by_seven(7);
  const auto parts = by_seven.divmod(uint32_t(n));
  if (at == 0) {
    out[0] = sum;
    out[1] = most;
    out[2] = T(parts.div);
    out[3] = T(parts.mod);
    const auto pair = at::native::memory::load_vector<2>(x, 1);
    out[4] = pair.val[1];
    out[5] = limits::upper_bound() > limits::max() ? T(1) : T(0);
    out[6] = T(sizeof(OffsetCalculator<3>));
    out[7] = T(at::native::idx(2, 3, 5, 1, 4));
  }
  at::native::fastAtomicAdd(out, 8, 9, T(1), true);
}
"""


@pytest.mark.parametrize("dialect", list(Dialect))
def test_device_helpers_of_pytorch_compile(dialect: Dialect, tmp_path: Path) -> None:
    text = f"#include <kernelset/{PRELUDES[dialect]}>\n{BODY}"
    assert list_errors(text, dialect, tmp_path) == []


def test_device_helpers_of_pytorch_compute(making: Any) -> None:
    source = f"#include <kernelset/torch.cuh>\n{BODY}"
    program = build_cpu_program(making.unit(source), BuildOptions())
    assert program.executable, program.verdict.message
    numbers = [float(number * 37 % 101) for number in range(100)]
    launch = KernelLaunch(
        grid=(1, 1, 1),
        block=(128, 1, 1),
        buffers=(
            Buffer(size=400, content=struct.pack("<100f", *numbers)),
            Buffer(size=36, content=bytes(36)),
        ),
        arguments=(
            pointer_argument(0),
            pointer_argument(1),
            value_argument(struct.pack("<i", COUNT)),
        ),
    )
    (execution,) = run_launches(program, [launch])
    assert execution.outcome == "done", execution.findings
    *results, added = struct.unpack("<9f", execution.buffers[1])
    used = numbers[:COUNT]
    assert results == [sum(used), max(used), 13, 6, numbers[3], 1, 12, 39]
    assert added == 128


OWN_FUNCTIONS = """
template <typename T>
__device__ T WARP_SHFL_XOR(T value, int mask, int width = warpSize, unsigned int lanes = 0xffffffff) { return value; }
template <typename T>
__device__ T WARP_SHFL_DOWN(T value, unsigned int by, int width = warpSize, unsigned int lanes = 0xffffffff) {
  return value;
}
__device__ int WARP_BALLOT(int is_true, unsigned int lanes = 0xffffffff) { return is_true; }
static __device__ void atomicAdd(c10::Half *address, c10::Half value) { *address = value; }
static __device__ void atomicAdd(int64_t *address, int64_t value) { *address = value; }
template <typename scalar_t> __device__ void gpuAtomicAdd(scalar_t *address, scalar_t value) { *address = value; }
__device__ c10::Half __ldg(const c10::Half *address) { return *address; }
"""
CALLS = """
__global__ void k(float *x, c10::Half *h, int64_t *n) {
  x[0] = WARP_SHFL_XOR(x[0], 1) + WARP_SHFL_DOWN(x[1], 1, 16) + WARP_BALLOT(1);
  atomicAdd(h, h[1]);
  atomicAdd(n, n[1]);
  gpuAtomicAdd(x, x[3]);
  gpuAtomicAdd(n, n[3]);
  h[2] = __ldg(h + 4);
  // overloads of a half are those of float, to which it converts
  h[3] = max(h[3], 0.5f);
  h[4] = min(h[4], h[5]);
}
"""


@pytest.mark.parametrize("dialect", PRELUDES)
@pytest.mark.parametrize("own_functions", [OWN_FUNCTIONS, ""], ids=["own", "PyTorch's"])
def test_functions_of_a_project_are_taken_first(
    tmp_path: Path, dialect: Dialect, own_functions: str
) -> None:
    prelude = f"#include <kernelset/{PRELUDES[dialect]}>\n"

    assert list_errors(prelude + own_functions + CALLS, dialect, tmp_path) == []
