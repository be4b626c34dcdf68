"""Builtins of AMD on the CPU: lanes that move along rows, dot products, a product of matrices,
one nobody serves.
"""

from __future__ import annotations

import struct
from typing import Any

import pytest

from crawler.model import Dialect, Status
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import (
    Buffer,
    KernelLaunch,
    pointer_argument,
    value_argument,
)
from crawler.validate.emulator.program import BuildOptions, Program, build_cpu_program
from crawler.validate.emulator.run_program import run_launches

pytestmark = pytest.mark.apt
SOURCE = """#include <kernelset/hip.h>
typedef _Float16 halves __attribute__((ext_vector_type(16)));
typedef float sums __attribute__((ext_vector_type(8)));
__global__ void k(const float* a, const float* b, float* d, int* w, int unknown) {
  int t = threadIdx.x;
  halves row, column;
  for (int at = 0; at < 16; ++at) {
    row[at] = static_cast<_Float16>(a[t % 16 * 16 + at]);
    column[at] = static_cast<_Float16>(b[at * 16 + t % 16]);
  }
  sums c = {1, 1, 1, 1, 1, 1, 1, 1};
  c = __builtin_amdgcn_wmma_f32_16x16x16_f16_w32(row, column, c);
  for (int at = 0; at < 8; ++at) d[(2 * at + t / 16) * 16 + t % 16] = c[at];
  int sum = t;
  sum += __builtin_amdgcn_update_dpp(0, sum, 0x111, 0xf, 0xf, true);
  sum += __builtin_amdgcn_update_dpp(0, sum, 0x112, 0xf, 0xf, true);
  w[t] = sum;
  w[32 + t] = __builtin_amdgcn_readfirstlane(t + 5) + __builtin_amdgcn_mov_dpp(t, 0xb1, 0xf, 0xf, false);
  w[64 + t] = __builtin_amdgcn_sdot4(0x01ff0203, 0x01020304, 10, false);
  w[96 + t] = __builtin_amdgcn_perm(0x77665544, 0x33221100, 0x07000c05);
  float given = 0.375f + t, back;
  unsigned half;
  asm volatile("v_cvt_f16_f32 %0, %1;\\n" : "=v"(half) : "v"(given));
  asm volatile("v_cvt_f32_f16 %0, %1;" : "=v"(back) : "v"(half));
  w[128 + t] = back == given ? max<int64_t>(half, min<int64_t>(half, 1 << 20)) : -1;
  if (unknown) d[0] = __builtin_amdgcn_cvt_f32_fp8(t, 0);
}
"""


@pytest.fixture(scope="module")
def program(making: Any) -> Program:
    unit = making.unit(SOURCE, "k", Dialect.HIP)
    made = build_cpu_program(unit, BuildOptions(fast_build=True))
    assert made.verdict.status is Status.PASS, made.verdict.message
    return made


A = [float((3 * index) % 11 - 5) for index in range(256)]
B = [float((5 * index) % 7 - 3) for index in range(256)]


def run(program: Program, unknown: int) -> Execution:
    buffers = (
        *(Buffer(size=1024, content=struct.pack("256f", *matrix)) for matrix in (A, B)),
        Buffer(size=1024),
        Buffer(size=1024),
    )
    arguments = (
        *(pointer_argument(number) for number in range(4)),
        value_argument(struct.pack("i", unknown)),
    )
    return run_launches(
        program,
        [
            KernelLaunch(
                grid=(1, 1, 1), block=(32, 1, 1), buffers=buffers, arguments=arguments
            )
        ],
    )[0]


def test_builtins_of_amd_do_what_the_device_does(program: Program) -> None:
    ended = run(program, 0)
    assert ended.outcome is Outcome.DONE, ended.findings
    product = [
        1 + sum(A[row * 16 + depth] * B[depth * 16 + column] for depth in range(16))
        for row in range(16)
        for column in range(16)
    ]
    assert list(struct.unpack("256f", ended.buffers[2])) == product
    words = struct.unpack("128i", ended.buffers[3][:512])
    four = [sum(range(max(t // 16 * 16, t - 3), t + 1)) for t in range(32)]
    assert list(words[:32]) == four
    assert list(words[32:64]) == [5 + (t ^ 1) for t in range(32)]
    assert set(words[64:96]) == {1 * 1 - 1 * 2 + 2 * 3 + 3 * 4 + 10}
    assert set(words[96:]) == {0x77000055}
    halves = struct.unpack("32i", ended.buffers[3][512:640])
    assert halves == tuple(
        struct.unpack("<H", struct.pack("<e", 0.375 + t))[0] for t in range(32)
    )


def test_a_builtin_that_nobody_serves_ends_the_run_of_who_calls_it(
    program: Program,
) -> None:
    ended = run(program, 1)
    assert ended.outcome is not Outcome.DONE
    assert ended.find_finding("unsupported")
