"""What is copied at once in more bytes than any access has is traced all the same."""

from __future__ import annotations

from typing import Any

import pytest

from crawler.model import Status
from crawler.validate.emulator.launch import Buffer, KernelLaunch, pointer_argument
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/hip.h>
typedef float wide __attribute__((ext_vector_type(8)));
constexpr unsigned bits(float value) { return __builtin_bit_cast(unsigned, value); }
__global__ void k(const float* in, float* out) {
  wide held;
  __builtin_memcpy(&held, in + 8 * threadIdx.x, sizeof(held));
  held = held * held + bits(1.0f);
  __builtin_memcpy(out + 8 * threadIdx.x, &held, sizeof(held));
}
"""


def test_a_vector_that_is_copied_is_read_whole(making: Any) -> None:
    program = build_cpu_program(
        making.unit(SOURCE), BuildOptions(trace=True, fast_build=True)
    )
    assert program.verdict.status is Status.PASS, program.verdict.message
    launch = KernelLaunch(
        grid=(1, 1, 1),
        block=(4, 1, 1),
        buffers=(Buffer(size=128), Buffer(size=128)),
        arguments=(pointer_argument(0), pointer_argument(1)),
    )
    (done,) = run_launches(program, [launch])
    assert done.accesses[0].read_range == (0, 128)
    assert done.accesses[1].written_range == (0, 128)
    assert not done.findings
