"""PyTorch's own atomics, for types that CUDA has none for, lose no thread's change."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from crawler.model import Status
from crawler.validate.emulator.launch import Buffer, KernelLaunch, pointer_argument
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/torch.cuh>
__global__ void k(unsigned char* bytes, short* shorts, float* values) {
  atomicAdd(bytes + threadIdx.x % 4, static_cast<unsigned char>(threadIdx.x));
  atomicAdd(shorts + threadIdx.x % 2, static_cast<short>(-1));
  gpuAtomicMul(values, 2.0f);
  gpuAtomicMax(values + 1, static_cast<float>(threadIdx.x));
  gpuAtomicMin(values + 2, static_cast<float>(threadIdx.x));
}
"""


def test_the_changes_of_all_threads_are_there(making: Any) -> None:
    program = build_cpu_program(making.unit(SOURCE), BuildOptions())
    assert program.verdict.status is Status.PASS, program.verdict.message
    launch = KernelLaunch(
        grid=(1, 1, 1),
        block=(8, 1, 1),
        buffers=(
            Buffer(size=4, content=bytes(4)),
            Buffer(size=4, content=struct.pack("2h", 100, 3)),
            Buffer(size=12, content=struct.pack("3f", 1.5, 3.0, 3.0)),
        ),
        arguments=tuple(map(pointer_argument, range(3))),
    )
    (done,) = run_launches(program, [launch])
    assert list(done.buffers[0]) == [0 + 4, 1 + 5, 2 + 6, 3 + 7]
    assert struct.unpack("2h", done.buffers[1]) == (96, -1)
    assert struct.unpack("3f", done.buffers[2]) == (384.0, 7.0, 0.0)
