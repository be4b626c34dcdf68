"""Carries of PTX on the CPU, within one assembly and from one to the next."""

from __future__ import annotations

import struct
from typing import Any

import pytest

from crawler.model import Dialect, Status
from crawler.validate.emulator.launch import Buffer, KernelLaunch, pointer_argument
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches

pytestmark = pytest.mark.apt
SOURCE = r"""#include <kernelset/cuda.cuh>
#define ADD_CC(d, a, b) asm volatile("add.cc.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b))
__device__ unsigned addc(unsigned a, unsigned b) {
  unsigned sum;
  asm volatile("addc.u32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
  return sum;
}
__global__ void k(const unsigned long long* a, unsigned long long* sums, unsigned long long* products) {
  const int t = threadIdx.x + blockDim.x * threadIdx.y;
  const unsigned long long first = a[t], second = a[63 - t];
  unsigned low;
  ADD_CC(low, (unsigned)first, (unsigned)second);
  __syncthreads();
  const unsigned high = addc((unsigned)(first >> 32), (unsigned)(second >> 32));
  sums[t] = (unsigned long long)high << 32 | low;
  unsigned parts[2];
  asm("{ .reg .u32 t; mul.lo.u32 %0, %2, %3; mul.hi.u32 t, %2, %3; add.cc.u32 %0, %0, %4; addc.u32 %1, t, 0; }"
      : "=&r"(parts[0]), "=r"(parts[1]) : "r"((unsigned)first), "r"((unsigned)second), "r"(~0u));
  products[t] = (unsigned long long)parts[1] << 32 | parts[0];
}
"""
MASK = (1 << 64) - 1


def test_each_thread_has_a_carry_of_its_own(making: Any) -> None:
    unit = making.unit(SOURCE, "k", Dialect.CUDA)
    made = build_cpu_program(unit, BuildOptions(trace=True, sanitise=True))
    assert made.verdict.status is Status.PASS, made.verdict.message

    values = [(number * 0x9E3779B97F4A7C15) & MASK for number in range(64)]
    content = struct.pack("<64Q", *values)
    launch = KernelLaunch(
        grid=(1, 1, 1),
        block=(16, 4, 1),
        shared_bytes=0,
        buffers=(Buffer(size=512, content=content), *[Buffer(size=512)] * 2),
        arguments=tuple(map(pointer_argument, range(3))),
    )
    (execution,) = run_launches(made, [launch])
    sums, products = (struct.unpack("<64Q", after) for after in execution.buffers[1:])
    pairs = list(zip(values, reversed(values), strict=True))
    assert list(sums) == [(first + second) & MASK for first, second in pairs]
    low = 0xFFFFFFFF
    assert list(products) == [
        ((first & low) * (second & low) + low) & MASK for first, second in pairs
    ]
