"""What kernels for AMD's devices of 64 lanes are made of, on the CPU: products of matrices,
loads by descriptors.
"""

from __future__ import annotations

import struct
from typing import Any

import pytest

from crawler.model import Dialect, KernelUnit, Status
from crawler.validate.emulator.execution_report import Execution, Outcome
from crawler.validate.emulator.launch import (
    Argument,
    Buffer,
    KernelLaunch,
    Pointer,
    pointer_argument,
)
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches

pytestmark = pytest.mark.apt
PRODUCTS = """#include <kernelset/hip.h>
typedef _Float16 halves __attribute__((ext_vector_type(4)));
typedef float four __attribute__((ext_vector_type(4)));
typedef float many __attribute__((ext_vector_type(16)));
typedef double wide __attribute__((ext_vector_type(4)));
__global__ void k(const float* a, const float* b, float* d) {
  int t = threadIdx.x;
#ifdef __gfx90a__
  halves row, column;
  for (int at = 0; at < 4; ++at) {
    row[at] = static_cast<_Float16>(a[t % 32 * 8 + t / 32 * 4 + at]);
    column[at] = static_cast<_Float16>(b[(t / 32 * 4 + at) * 32 + t % 32]);
  }
  many c = {};
  c = __builtin_amdgcn_mfma_f32_32x32x8f16(row, column, c, 0, 0, 0);
  for (int at = 0; at < 16; ++at) d[(at / 4 * 8 + t / 32 * 4 + at % 4) * 32 + t % 32] = c[at];
  four e = {1, 1, 1, 1};
  e = __builtin_amdgcn_mfma_f32_16x16x4f32(a[t % 16 * 8 + t / 16], b[t / 16 * 32 + t % 16], e, 0, 0, 0);
  for (int at = 0; at < 4; ++at) d[1024 + (t / 16 * 4 + at) * 16 + t % 16] = e[at];
  wide f = {};
  f = __builtin_amdgcn_mfma_f64_16x16x4f64(a[t % 16 * 8 + t / 16], b[t / 16 * 32 + t % 16], f, 0, 0, 0);
  for (int at = 0; at < 4; ++at) d[1280 + (at * 4 + t / 16) * 16 + t % 16] = static_cast<float>(f[at]);
  four g = {};
  g = __builtin_amdgcn_mfma_f32_4x4x1f32(a[t], b[t], g, 4, 3, 0);  // all 16 blocks take A of the fourth
  for (int at = 0; at < 4; ++at) d[1536 + at * 64 + t] = g[at];
#endif
}
"""
LOADS = """#include <kernelset/hip.h>
typedef int words __attribute__((ext_vector_type(4)));
typedef float two __attribute__((ext_vector_type(2)));
namespace own {
__device__ float load(words what, int at, int scalar, int flags) __asm("llvm.amdgcn.raw.buffer.load.f32");
__device__ two load_two(words what, int at, int scalar, int flags) __asm("llvm.amdgcn.raw.buffer.load.v2f32");
__device__ void store(float x, words what, int at, int scalar, int flags) __asm("llvm.amdgcn.raw.buffer.store.f32");
__device__ float add(float x, words what, int at, int, int) __asm("llvm.amdgcn.raw.buffer.atomic.fadd.f32");
}
struct Base { Base() = default; Base(const Base&) = default; virtual ~Base(); virtual void print(); };
struct Arguments : Base { const float* a; float* d; int count; virtual ~Arguments(); };
__device__ words descriptor(const void* p, int bytes) {
  const unsigned long long at = reinterpret_cast<unsigned long long>(p);
  return words{int(at), int(at >> 32), bytes, 0x00020000};
}
struct Either {
  __device__ static int side(int a) { return a + 1; }
  __host__ static int side(int a);
};
typedef _Float16 halves __attribute__((ext_vector_type(4)));
namespace own {
__device__ halves load_halves(words what, int at, int scalar, int flags) __asm("llvm.amdgcn.raw.buffer.load.v4f16");
}
__global__ void k(Arguments all) {
  int t = threadIdx.x;
  all.count += Either::side(t) - t - 1;
  words from = descriptor(all.a, 4 * all.count), to = descriptor(all.d, 4 * all.count);
  two pair = own::load_two(from, 8 * t, 0, 0);
  own::store(pair[0] + pair[1] + own::load(from, 4 * t, 4, 0), to, 4 * t, 0, 0);
  if (own::load_halves(from, 2, 0, 0)[3] != _Float16(0)) own::store(-1, to, 0, 0, 0);  // the low half of 1.0f
  own::add(static_cast<float>(__half(static_cast<_Float16>(1.5f))), to, 0, 0, 0);
}
"""


def run(unit: KernelUnit, launch: KernelLaunch) -> Execution:
    program = build_cpu_program(
        unit, BuildOptions(trace=True, sanitise=True, fast_build=True)
    )
    assert program.verdict.status is Status.PASS, program.verdict.message
    return run_launches(program, [launch])[0]


@pytest.fixture(scope="module")
def products(making: Any) -> Any:
    return making.unit(PRODUCTS, "k", Dialect.HIP)


@pytest.fixture(scope="module")
def loads(making: Any) -> Any:
    return making.unit(LOADS, "k", Dialect.HIP)


def test_products_of_64_lanes_are_those_of_the_matrices(products: KernelUnit) -> None:
    a, b = ([float((m * index) % 11 - 5) for index in range(256)] for m in (3, 5))
    buffers = (
        *(Buffer(size=1024, content=struct.pack("256f", *matrix)) for matrix in (a, b)),
        Buffer(size=4 * 1792),
    )
    arguments = tuple(pointer_argument(number) for number in range(3))
    ended = run(
        products,
        KernelLaunch(
            grid=(1, 1, 1), block=(64, 1, 1), buffers=buffers, arguments=arguments
        ),
    )
    assert ended.outcome is Outcome.DONE, ended.findings
    d = struct.unpack("1792f", ended.buffers[2])

    def product(size: int, depth: int, plus: float) -> list[float]:
        return [
            plus
            + sum(a[row * 8 + inner] * b[inner * 32 + column] for inner in range(depth))
            for row in range(size)
            for column in range(size)
        ]

    assert list(d[:1024]) == product(32, 8, 0)
    assert list(d[1024:1280]) == product(16, 4, 1)
    assert list(d[1280:1536]) == product(16, 4, 0)
    assert list(d[1536:]) == [
        a[12 + row] * b[lane] for row in range(4) for lane in range(64)
    ]


def test_a_product_that_a_lane_does_not_come_to_is_found(products: KernelUnit) -> None:
    buffers = tuple(Buffer(size=7168, content=bytes(7168)) for _ in range(3))
    arguments = tuple(pointer_argument(number) for number in range(3))
    ended = run(
        products,
        KernelLaunch(
            grid=(1, 1, 1), block=(40, 1, 1), buffers=buffers, arguments=arguments
        ),
    )
    assert ended.find_finding("inactive-lane")


def launch_loads(count: int) -> KernelLaunch:
    content = struct.pack("qqqii", 0, 0, 0, count, 0)
    pointers = tuple((8 * (number + 1), Pointer(buffer=number)) for number in range(2))
    floats = struct.pack("64f", *map(float, range(64)))
    buffers = (Buffer(size=256, content=floats), Buffer(size=256, content=bytes(256)))
    return KernelLaunch(
        grid=(1, 1, 1),
        block=(16, 1, 1),
        buffers=buffers,
        arguments=(Argument(content=content, pointers=pointers),),
    )


def test_a_load_through_a_descriptor_ends_where_that_does(loads: KernelUnit) -> None:
    ended = run(loads, launch_loads(13))
    assert ended.outcome is Outcome.DONE, ended.findings
    d = struct.unpack("64f", ended.buffers[1])

    def word(index: int) -> float:
        return float(index) if index < 13 else 0.0

    expected = [
        word(2 * t) + word(2 * t + 1) + (t + 1 if t < 13 else 0) for t in range(13)
    ]
    assert d[0] == expected[0] + 16 * 1.5
    assert list(d[1:13]) == expected[1:]
    assert not any(d[13:])
    assert ended.accesses[0].read_range == (0, 56)
    assert ended.accesses[1].is_atomic
    assert (
        ended.find_finding("misaligned") is None
    )  # halves lie where halves may, however many are read at once


def test_a_descriptor_that_reaches_further_than_its_memory_is_found(
    loads: KernelUnit,
) -> None:
    ended = run(loads, launch_loads(4096))
    assert ended.find_finding("out-of-bounds") is None  # 16 threads do not reach so far
    launch = launch_loads(4096)
    short = KernelLaunch(
        grid=launch.grid,
        block=(64, 1, 1),
        buffers=launch.buffers,
        arguments=launch.arguments,
    )
    assert run(loads, short).find_finding("out-of-bounds")


def test_an_argument_by_value_is_each_threads_own(loads: KernelUnit) -> None:
    several = launch_loads(40)
    ended = run(loads, several)
    assert ended.outcome is Outcome.DONE, ended.findings
