"""What HIP has and CUDA lacks, on the CPU: operators on vectors, assembly of AMD's devices, cub
by another name.
"""

from __future__ import annotations

import struct
from typing import Any

import pytest

from crawler.model import Dialect
from crawler.validate.emulator.launch import Buffer, KernelLaunch, pointer_argument
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches

pytestmark = pytest.mark.apt
SOURCE = r"""#include <kernelset/hip.h>
#include <kernelset/hip_cub.h>
#define DOT(sum, one, two)                   \
  if (true) {                                \
    asm("v_dot2c_f32_f16 %0, %2, %3"         \
        : "=v"(sum)                          \
        : "0"(sum), "v"(one), "v"(two));     \
  } else {                                   \
    asm("v_unheard_of %0" : "=v"(sum));      \
  }
__device__ float2 operator-(float2 one, float2 two) { return make_float2(7.f, 7.f); }
__global__ void k(const float* x, float* y) {
  const cub::NullType none;
  float2 v = make_float2(x[0], x[1]);
  float2 w = 2.0f * v * v + 1.0f;
  w /= make_float2(1.f, 2.f);
  y[0] = w.x;
  y[1] = w.y;
  y[2] = (v - v).x;
  float sum = 1.f;
  asm volatile("s_waitcnt vmcnt(0)");
  DOT(sum, x[2], x[3])
  y[3] = sum;
}
"""


def test_hip_words_do_what_they_say(making: Any) -> None:
    unit = making.unit(SOURCE, "k", Dialect.HIP)
    program = build_cpu_program(unit, BuildOptions())
    assert program.executable, program.verdict.message
    content = struct.pack("<2f4e", 3.0, 4.0, 1.0, 2.0, 3.0, 4.0)
    buffers = (Buffer(size=len(content), content=content), Buffer(size=16))
    (done,) = run_launches(
        program,
        [
            KernelLaunch(
                grid=(1, 1, 1),
                block=(1, 1, 1),
                buffers=buffers,
                arguments=(pointer_argument(0), pointer_argument(1)),
            )
        ],
    )
    assert struct.unpack("<4f", done.buffers[1]) == (19.0, 16.5, 7.0, 12.0)
