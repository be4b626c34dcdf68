"""The compiler's own atomics on the CPU: traced as atomics, and whoever waits for one lets
others have their turn.
"""

from __future__ import annotations

import struct
from typing import Any

import pytest

from crawler.model import Status
from crawler.validate.emulator.execution_report import Outcome
from crawler.validate.emulator.launch import Buffer, KernelLaunch, pointer_argument
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/cuda.cuh>
__global__ void k(unsigned* state, unsigned* out) {
  if (threadIdx.x == 0) {
    while (__atomic_load_n(state + 1, __ATOMIC_ACQUIRE) != blockDim.x - 1) {}
    unsigned seen = 7;
    out[0] = __atomic_compare_exchange_n(state + 2, &seen, 9u, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    out[1] = __atomic_exchange_n(state + 2, 4u, __ATOMIC_RELAXED);
    out[2] = state[0];
  } else {
    __atomic_fetch_add(state, threadIdx.x, __ATOMIC_RELAXED);
    __atomic_fetch_add(state + 1, 1u, __ATOMIC_RELEASE);
  }
}
"""


NVCC_SOURCE = SOURCE.replace("__ATOMIC", "__NV_ATOMIC").replace(
    "__atomic", "__nv_atomic"
)


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("source", [SOURCE, NVCC_SOURCE], ids=["clang", "nvcc"])
def test_the_compilers_own_atomics_are_atomics(
    source: str, traced: bool, making: Any
) -> None:
    program = build_cpu_program(making.unit(source), BuildOptions(trace=traced))
    assert program.verdict.status is Status.PASS, program.verdict.message
    state = Buffer(size=12, content=struct.pack("3I", 0, 0, 7))
    launch = KernelLaunch(
        grid=(1, 1, 1),
        block=(8, 1, 1),
        buffers=(state, Buffer(size=12)),
        arguments=(pointer_argument(0), pointer_argument(1)),
    )
    (done,) = run_launches(program, [launch])
    assert done.outcome is Outcome.DONE
    assert struct.unpack("3I", done.buffers[0]) == (28, 7, 4)
    assert struct.unpack("3I", done.buffers[1]) == (1, 9, 28)
    if traced:
        assert done.accesses[0].is_atomic
        assert not done.find_finding("race")
