"""Inline assembly of PTX on the CPU: products of matrices, copies into shared memory, and what
no rule translates.
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
SOURCE = r"""#include <kernelset/cuda.cuh>
__device__ unsigned place(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }
__global__ void k(const unsigned short* a, const unsigned short* b, float* d, int unknown) {
  extern __shared__ unsigned short rows[];  // 16 rows of A, 16 deep; then 16 rows of B, 8 wide
  unsigned short* others = rows + 256;
  int t = threadIdx.x;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"  // the last of eight is 0
               ::"r"(place(rows + 8 * t)), "l"(a + 8 * t), "r"(14));
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p cp.async.ca.shared.global [%1], [%2], %3; }"
               :: "r"(int(t < 16)), "r"(place(others + 8 * t)), "l"(b + 8 * t), "n"(16));
  asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group %0;" ::"n"(0));
  __syncthreads();
  unsigned left[4], right[2];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(left[0]), "=r"(left[1]), "=r"(left[2]), "=r"(left[3])
               : "r"(place(rows + t % 16 * 16 + t / 16 * 8)));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(right[0]), "=r"(right[1]) : "r"(place(others + t % 16 * 8)));
  float c[4] = {1.f, 1.f, 1.f, 1.f};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right[0]), "r"(right[1]));
  if (unknown) asm volatile("tcgen05.wait::st.sync.aligned;");
  for (int at = 0; at < 4; ++at) d[(t / 4 + at / 2 * 8) * 8 + t % 4 * 2 + at % 2] = c[at];
}
"""


@pytest.fixture(scope="module")
def program(making: Any) -> Program:
    unit = making.unit(SOURCE, "k", Dialect.CUDA)
    made = build_cpu_program(unit, BuildOptions(trace=True, sanitise=True))
    assert made.verdict.status is Status.PASS, made.verdict.message
    return made


def run(program: Program, unknown: int) -> Execution:
    a = [(row * 3 + column) % 7 - 3 for row in range(16) for column in range(16)]
    b = [(row + column * 5) % 5 - 2 for row in range(16) for column in range(8)]
    buffers = (
        Buffer(size=512, content=struct.pack("<256e", *a)),
        Buffer(size=256, content=struct.pack("<128e", *b)),
        Buffer(size=512),
    )
    arguments = (
        pointer_argument(0),
        pointer_argument(1),
        pointer_argument(2),
        value_argument(struct.pack("<i", unknown)),
    )
    launch = KernelLaunch(
        grid=(1, 1, 1),
        block=(32, 1, 1),
        shared_bytes=768,
        buffers=buffers,
        arguments=arguments,
    )
    return run_launches(program, [launch])[0]


def test_a_product_of_matrices_is_what_it_ought_to_be(program: Program) -> None:
    ended = run(program, 0)
    assert ended.outcome is Outcome.DONE
    assert not ended.findings
    a = [[(row * 3 + column) % 7 - 3 for column in range(16)] for row in range(16)]
    b = [[(row + column * 5) % 5 - 2 for column in range(8)] for row in range(16)]
    want = [
        1 + sum(a[row][k] * b[k][column] for k in range(16) if k % 8 < 7)
        for row in range(16)
        for column in range(8)
    ]
    assert list(struct.unpack("<128f", ended.buffers[2])) == want
    assert [access.role for access in ended.accesses] == ["in", "in", "out"]


def test_what_no_rule_translates_ends_the_run_of_who_comes_there(
    program: Program,
) -> None:
    finding = run(program, 1).find_finding("unsupported")
    assert finding is not None
    assert finding.line == SOURCE[: SOURCE.index("tcgen05")].count("\n") + 1


OTHERS = """#include <kernelset/cuda.cuh>
__global__ void k(const double* a, const double* b, double* d) {
  int t = threadIdx.x;
  double sum[2] = {1.0, 1.0}, tall[4] = {};
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
               : "=d"(sum[0]), "=d"(sum[1]) : "d"(a[t]), "d"(b[t % 4 * 8 + t / 4]), "d"(sum[0]), "d"(sum[1]));
  for (int at = 0; at < 2; ++at) d[t / 4 * 8 + t % 4 * 2 + at] = sum[at];
  half2 left[2], right[1], halves[2] = {};
  for (int at = 0; at < 2; ++at) left[at] = __floats2half2_rn(a[t / 4 * 8 + t % 4 * 2], a[t / 4 * 8 + t % 4 * 2 + 1]);
  right[0] = __floats2half2_rn(b[t % 4 * 2 * 8 + t / 4], b[(t % 4 * 2 + 1) * 8 + t / 4]);
  unsigned *l = reinterpret_cast<unsigned*>(left), *r = reinterpret_cast<unsigned*>(right);
  unsigned* h = reinterpret_cast<unsigned*>(halves);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%5,%6};"
               : "=r"(h[0]), "=r"(h[1]) : "r"(l[0]), "r"(l[1]), "r"(r[0]), "r"(h[0]), "r"(h[1]));
  for (int at = 0; at < 2; ++at) {
    d[64 + (t / 4 + 8 * at) * 8 + t % 4 * 2] = __low2float(halves[at]);
    d[64 + (t / 4 + 8 * at) * 8 + t % 4 * 2 + 1] = __high2float(halves[at]);
  }
}
"""


def test_products_of_doubles_and_with_sums_of_halves_are_what_they_ought_to_be(
    making: Any,
) -> None:
    program = build_cpu_program(
        making.unit(OTHERS, "k", Dialect.CUDA), BuildOptions(trace=True)
    )
    assert program.verdict.status is Status.PASS, program.verdict.message
    a = [float(index * 3 % 7 - 3) for index in range(64)]
    b = [float(index * 5 % 9 - 4) for index in range(64)]
    buffers = (
        *(Buffer(size=512, content=struct.pack("<64d", *matrix)) for matrix in (a, b)),
        Buffer(size=1536),
    )
    (ended,) = run_launches(
        program,
        [
            KernelLaunch(
                grid=(1, 1, 1),
                block=(32, 1, 1),
                buffers=buffers,
                arguments=(
                    pointer_argument(0),
                    pointer_argument(1),
                    pointer_argument(2),
                ),
            )
        ],
    )
    assert ended.outcome is Outcome.DONE, ended.findings
    products = struct.unpack("<192d", ended.buffers[2])
    small = [
        1 + sum(a[row * 4 + k] * b[k * 8 + column] for k in range(4))
        for row in range(8)
        for column in range(8)
    ]
    assert list(products[:64]) == small
    tall = [
        sum(a[row * 8 + k] * b[k * 8 + column] for k in range(8))
        for row in range(8)
        for column in range(8)
    ]
    assert list(products[64:]) == tall * 2


SPARSE = r"""#include <kernelset/cuda.cuh>
__global__ void k(const unsigned* a, const unsigned* b, const unsigned* where, float* d, int* e) {
  int t = threadIdx.x;
  const unsigned *l = a + 4 * t, *r = b + 4 * t;
  float c[4] = {1.f, 1.f, 1.f, 1.f};
  asm volatile("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9,%10,%11},"
               " {%0,%1,%2,%3}, %12, 0x1;"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(l[0]), "r"(l[1]), "r"(l[2]), "r"(l[3]), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(where[t]));
  int s[4] = {0, 0, 0, 0};
  asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7},"
               " {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"
               : "+r"(s[0]), "+r"(s[1]), "+r"(s[2]), "+r"(s[3])
               : "r"(l[0]), "r"(l[1]), "r"(l[2]), "r"(l[3]), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(where[t]));
  for (int at = 0; at < 4; ++at) {
    d[(t / 4 + at / 2 * 8) * 8 + t % 4 * 2 + at % 2] = c[at];
    e[(t / 4 + at / 2 * 8) * 8 + t % 4 * 2 + at % 2] = s[at];
  }
}
"""


def test_products_with_a_matrix_of_which_half_is_stored_are_what_they_ought_to_be(
    making: Any,
) -> None:
    program = build_cpu_program(
        making.unit(SPARSE, "k", Dialect.CUDA), BuildOptions(trace=True)
    )
    assert program.verdict.status is Status.PASS, program.verdict.message
    # a byte of a pattern repeated is a small half or a byte as well, and each four bits name
    # two different places
    words = [
        [
            0x3C00_4000 + (0x400 if index * 5 % 3 else 0) + (index % 2 << 31)
            for index in range(begin, begin + 128)
        ]
        for begin in (0, 7)
    ]
    where = [0x4E98_DC84 if lane % 3 else 0xE49C_8D4E for lane in range(32)]
    buffers = (
        *(Buffer(size=512, content=struct.pack("<128I", *matrix)) for matrix in words),
        Buffer(size=128, content=struct.pack("<32I", *where)),
        *(Buffer(size=512) for _ in range(2)),
    )
    arguments = tuple(pointer_argument(number) for number in range(5))
    (ended,) = run_launches(
        program,
        [
            KernelLaunch(
                grid=(1, 1, 1), block=(32, 1, 1), buffers=buffers, arguments=arguments
            )
        ],
    )
    assert ended.outcome is Outcome.DONE, ended.findings
    first, second = (struct.pack("<128I", *matrix) for matrix in words)
    assert list(struct.unpack("<128f", ended.buffers[3])) == sparse(
        "e", 2, first, second, where, 1.0
    )
    assert list(struct.unpack("<128i", ended.buffers[4])) == sparse(
        "b", 1, first, second, where, 0
    )


def sparse(
    code: str, size: int, first: bytes, second: bytes, where: list[int], before: float
) -> list[float]:
    """Return the product of whole matrices, which are made from what the lanes hold."""
    per_word, depth = 4 // size, 64 // size
    a = struct.unpack(f"<{len(first) // size}{code}", first)
    b = struct.unpack(f"<{len(second) // size}{code}", second)
    rows = [[0.0] * depth for _ in range(16)]
    for row in range(16):
        quad = row % 8 * 4
        if size == 2:
            halves = [where[quad + lane] >> row // 8 * 16 & 0xFFFF for lane in (2, 3)]
            bits = halves[0] | halves[1] << 16
        else:
            bits = where[quad + row // 8] | where[quad + 2 + row // 8] << 32
        for number in range(depth // 2):
            lane, word = (
                quad + number // per_word % 4,
                number // per_word // 4 * 2 + row // 8,
            )
            rows[row][number // 2 * 4 + (bits >> 2 * number & 3)] += a[
                (lane * 4 + word) * per_word + number % per_word
            ]
    columns = [
        [
            b[
                ((column * 4 + k // per_word % 4) * 4 + k // (4 * per_word)) * per_word
                + k % per_word
            ]
            for k in range(depth)
        ]
        for column in range(8)
    ]
    return [
        before + sum(x * y for x, y in zip(row, column, strict=True))
        for row in rows
        for column in columns
    ]
