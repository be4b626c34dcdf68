"""Integer functions of CUDA on the CPU give what the CUDA Math API says of them, also where a
number is the largest, the smallest, or has its sign bit alone; and none of them is undefined.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from crawler.validate.emulator.execution_report import Execution
from crawler.validate.emulator.launch import (
    Buffer,
    KernelLaunch,
    pointer_argument,
    value_argument,
)
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches

pytestmark = pytest.mark.apt
MASK = 0xFFFFFFFF
MASK_64 = (1 << 64) - 1
EDGES = [0, 1, 2, 31, 32, 33, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0x80808080]
EDGES += [0x7F7F7F7F, 0x7FFFFF, 0x800000, 0xFFFFFF, 0x7FFFFFFF, 0x80000000, MASK]


def to_signed(word: int, bits: int = 32) -> int:
    """Return the number that a word of two's complement is."""
    word &= (1 << bits) - 1
    return word - (1 << bits) if word >> (bits - 1) else word


def split(word: int, bits: int) -> list[int]:
    """Return the parts of a word, the lowest first."""
    return [word >> shift & ((1 << bits) - 1) for shift in range(0, 32, bits)]


def join(parts: Sequence[int], bits: int) -> int:
    mask = (1 << bits) - 1
    return sum((part & mask) << bits * place for place, part in enumerate(parts))


def by_parts(
    bits: int, is_signed: bool, operation: Callable[[int, int], int]
) -> Callable[[int, int, int], int]:
    """Return a function that does something to each byte, or half, of two words."""

    def apply(a: int, b: int, _: int) -> int:
        left, right = split(a, bits), split(b, bits)
        if is_signed:
            left = [to_signed(part, bits) for part in left]
            right = [to_signed(part, bits) for part in right]
        return join([operation(x, y) for x, y in zip(left, right, strict=True)], bits)

    return apply


def dot(a: int, b: int, c: int, is_signed: bool) -> int:
    left, right = split(a, 8), split(b, 8)
    if is_signed:
        left = [to_signed(part, 8) for part in left]
        right = [to_signed(part, 8) for part in right]
    return c + sum(x * y for x, y in zip(left, right, strict=True))


def permute_bytes(a: int, b: int, selector: int) -> int:
    source = [*split(a, 8), *split(b, 8)]
    chosen: list[int] = []
    for place in range(4):
        wish = selector >> 4 * place & 15
        byte = source[wish & 7]
        # the highest bit asks for the byte's sign instead
        chosen.append((255 if byte & 128 else 0) if wish & 8 else byte)
    return join(chosen, 8)


def shift_pair(low: int, high: int, by: int, is_left: bool) -> int:
    pair = high << 32 | low
    return (pair << by) >> 32 if is_left else pair >> by


def clamp_byte(number: int) -> int:
    return max(-128, min(127, number))


def reverse(word: int, bits: int) -> int:
    return int(format(word, f"0{bits}b")[::-1], 2)


def lowest_bit(word: int) -> int:
    return (word & -word).bit_length()


@dataclass(frozen=True)
class Intrinsic:
    """An expression of `a`, `b` and `c`, and what it gives."""

    expression: str
    expected: Callable[[int, int, int], int]


def pair(a: int, b: int) -> int:
    """Return the long number that the kernel makes of two words."""
    return a << 32 | b


INTRINSICS = [
    Intrinsic("__popc(a)", lambda a, b, c: a.bit_count()),
    Intrinsic("__popcll(l)", lambda a, b, c: pair(a, b).bit_count()),
    Intrinsic("__clz(a)", lambda a, b, c: 32 - a.bit_length()),
    Intrinsic("__clzll(l)", lambda a, b, c: 64 - pair(a, b).bit_length()),
    Intrinsic("__ffs(a)", lambda a, b, c: lowest_bit(a)),
    Intrinsic("__ffsll(l)", lambda a, b, c: lowest_bit(pair(a, b))),
    Intrinsic("__brev(a)", lambda a, b, c: reverse(a, 32)),
    Intrinsic("__brevll(l) >> 32", lambda a, b, c: reverse(pair(a, b), 64) >> 32),
    Intrinsic("__brevll(l)", lambda a, b, c: reverse(pair(a, b), 64)),
    Intrinsic("__mul24(a, b)", lambda a, b, c: to_signed(a, 24) * to_signed(b, 24)),
    Intrinsic("__umul24(a, b)", lambda a, b, c: (a & 0xFFFFFF) * (b & 0xFFFFFF)),
    Intrinsic("__mulhi(a, b)", lambda a, b, c: to_signed(a) * to_signed(b) >> 32),
    Intrinsic("__umulhi(a, b)", lambda a, b, c: a * b >> 32),
    Intrinsic(
        "__mul64hi(l, m)",
        lambda a, b, c: to_signed(pair(a, b), 64) * to_signed(pair(b, c), 64) >> 64,
    ),
    Intrinsic("__umul64hi(l, m)", lambda a, b, c: pair(a, b) * pair(b, c) >> 64),
    Intrinsic("__hadd(a, b)", lambda a, b, c: to_signed(a) + to_signed(b) >> 1),
    Intrinsic("__rhadd(a, b)", lambda a, b, c: to_signed(a) + to_signed(b) + 1 >> 1),
    Intrinsic("__uhadd(a, b)", lambda a, b, c: a + b >> 1),
    Intrinsic("__urhadd(a, b)", lambda a, b, c: a + b + 1 >> 1),
    Intrinsic("__sad(a, b, c)", lambda a, b, c: abs(to_signed(a) - to_signed(b)) + c),
    Intrinsic("__usad(a, b, c)", lambda a, b, c: abs(a - b) + c),
    Intrinsic(
        "__funnelshift_l(a, b, c)", lambda a, b, c: shift_pair(a, b, c & 31, True)
    ),
    Intrinsic(
        "__funnelshift_r(a, b, c)", lambda a, b, c: shift_pair(a, b, c & 31, False)
    ),
    Intrinsic(
        "__funnelshift_lc(a, b, c)",
        lambda a, b, c: shift_pair(a, b, min(c, 32), True),
    ),
    Intrinsic(
        "__funnelshift_rc(a, b, c)",
        lambda a, b, c: shift_pair(a, b, min(c, 32), False),
    ),
    Intrinsic("__byte_perm(a, b, c)", permute_bytes),
    Intrinsic("__dp4a(int(a), int(b), int(c))", lambda a, b, c: dot(a, b, c, True)),
    Intrinsic("__dp4a(a, b, c)", lambda a, b, c: dot(a, b, c, False)),
    Intrinsic("__vaddss4(a, b)", by_parts(8, True, lambda x, y: clamp_byte(x + y))),
    Intrinsic("__vsubss4(a, b)", by_parts(8, True, lambda x, y: clamp_byte(x - y))),
    Intrinsic("__double2hiint(__longlong_as_double(l))", lambda a, b, c: a),
    Intrinsic("__double2loint(__longlong_as_double(l))", lambda a, b, c: b),
    Intrinsic("__double_as_longlong(__hiloint2double(a, b)) >> 32", lambda a, b, c: a),
    Intrinsic("__float_as_uint(__uint_as_float(a))", lambda a, b, c: a),
    Intrinsic("__float_as_int(__int_as_float(a))", lambda a, b, c: a),
]
for width, digit in ((8, 4), (16, 2)):
    for name, is_signed, operation in (
        ("__vadd", False, lambda x, y: x + y),
        ("__vsub", False, lambda x, y: x - y),
        ("__vminu", False, min),
        ("__vmaxu", False, max),
        ("__vmins", True, min),
        ("__vmaxs", True, max),
        ("__vcmpeq", False, lambda x, y: -(x == y)),
        ("__vcmpne", False, lambda x, y: -(x != y)),
        ("__vcmpgtu", False, lambda x, y: -(x > y)),
        ("__vcmpgts", True, lambda x, y: -(x > y)),
        ("__vcmpgeu", False, lambda x, y: -(x >= y)),
        ("__vcmpltu", False, lambda x, y: -(x < y)),
        ("__vcmpleu", False, lambda x, y: -(x <= y)),
        ("__vabsdiffu", False, lambda x, y: abs(x - y)),
    ):
        INTRINSICS.append(
            Intrinsic(
                f"{name}{digit}(a, b)",
                by_parts(width, is_signed, operation),
            )
        )

SOURCE = (
    "#include <kernelset/cuda.cuh>\n"
    "__global__ void k(const unsigned* in, unsigned* out, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i >= n) return;\n"
    "  const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];\n"
    "  const unsigned long long l = (unsigned long long)a << 32 | b;\n"
    "  const unsigned long long m = (unsigned long long)b << 32 | c;\n"
    + "".join(
        f"  out[{len(INTRINSICS)} * i + {place}] = (unsigned)({intrinsic.expression});\n"
        for place, intrinsic in enumerate(INTRINSICS)
    )
    + "}\n"
)


def draw_inputs() -> list[tuple[int, int, int]]:
    """Return all pairs of edges with a third number, and random ones."""
    rng = random.Random(7)
    inputs = [(a, b, rng.choice(EDGES)) for a in EDGES for b in EDGES]
    inputs += [
        (rng.getrandbits(32), rng.getrandbits(32), rng.getrandbits(32))
        for _ in range(200)
    ]
    return inputs


INPUTS = draw_inputs()


def execute(making: Any, options: BuildOptions) -> Execution:
    program = build_cpu_program(making.unit(SOURCE), options)
    assert program.executable, program.verdict.message
    words = [word for numbers in INPUTS for word in numbers]
    content = struct.pack(f"<{len(words)}I", *words)
    launch = KernelLaunch(
        grid=(-(-len(INPUTS) // 64), 1, 1),
        block=(64, 1, 1),
        buffers=(
            Buffer(size=len(content), content=content),
            Buffer(size=4 * len(INPUTS) * len(INTRINSICS)),
        ),
        arguments=(
            pointer_argument(0),
            pointer_argument(1),
            value_argument(struct.pack("<i", len(INPUTS))),
        ),
    )
    (execution,) = run_launches(program, [launch])
    return execution


@pytest.fixture(scope="module")
def results(making: Any) -> list[tuple[int, ...]]:
    """What each input gave, by the place of its expression."""
    execution = execute(making, BuildOptions())
    assert execution.outcome == "done", execution.findings
    words = struct.unpack(f"<{len(INPUTS) * len(INTRINSICS)}I", execution.buffers[1])
    return [
        words[start : start + len(INTRINSICS)]
        for start in range(0, len(words), len(INTRINSICS))
    ]


@pytest.mark.parametrize("place", range(len(INTRINSICS)))
def test_an_intrinsic_gives_what_the_api_says(
    results: list[tuple[int, ...]], place: int
) -> None:
    intrinsic = INTRINSICS[place]
    for (a, b, c), row in zip(INPUTS, results, strict=True):
        expected = intrinsic.expected(a, b, c) & MASK
        assert row[place] == expected, (intrinsic.expression, hex(a), hex(b), hex(c))


def test_no_intrinsic_is_blamed_on_the_kernel(making: Any) -> None:
    execution = execute(making, BuildOptions(trace=True))
    assert execution.outcome == "done"
    assert [finding.kind for finding in execution.findings] == []
