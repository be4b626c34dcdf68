"""Comparisons of half precision give what the CUDA Math API says, of what is no number as well."""

from __future__ import annotations

import itertools
import math
import operator
import struct
from collections.abc import Callable
from typing import Any, Final

import pytest

from crawler.validate.emulator.launch import Buffer, KernelLaunch, pointer_argument
from crawler.validate.emulator.program import BuildOptions, build_cpu_program
from crawler.validate.emulator.run_program import run_launches

pytestmark = pytest.mark.apt
VALUES: Final = (-1.0, 0.0, 2.0, math.inf, math.nan)
PAIRS: Final = tuple(itertools.product(VALUES, repeat=2))
OPERATIONS: Final = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
TYPES: Final = (
    ("__half2", "__floats2half2_rn"),
    ("__nv_bfloat162", "__floats2bfloat162_rn"),
)


def make_source() -> str:
    lines = []
    for pair, make in TYPES:
        lines.append(f"{{ {pair} p = {make}(a, b), q = {make}(b, a);")
        for name in OPERATIONS:
            lines.append(f"  *out++ = __h{name}(p.x, q.x) + 2 * __h{name}u(p.x, q.x);")
            lines.append(f"  *out++ = __h{name}2_mask(p, q);")
            lines.append(f"  *out++ = __h{name}u2_mask(p, q);")
        lines.append("}")
    body = "\n".join(lines)
    return (
        "#include <kernelset/cuda.cuh>\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
        "__global__ void k(const float* in, unsigned* all) {\n"
        "  float a = in[2 * threadIdx.x], b = in[2 * threadIdx.x + 1];\n"
        f"  unsigned* out = all + {3 * len(TYPES) * len(OPERATIONS)} * threadIdx.x;\n"
        f"{body}\n}}\n"
    )


def expect(compare: Callable[[float, float], bool], a: float, b: float) -> list[int]:
    is_unordered = math.isnan(a) or math.isnan(b)
    holds = not is_unordered and compare(a, b)
    swapped = not is_unordered and compare(b, a)
    return [
        holds + 2 * (holds or is_unordered),
        0xFFFF * holds | 0xFFFF0000 * swapped,
        0xFFFF * (holds or is_unordered) | 0xFFFF0000 * (swapped or is_unordered),
    ]


def test_two_that_cannot_be_compared_are_unordered(making: Any) -> None:
    program = build_cpu_program(making.unit(make_source()), BuildOptions())
    assert program.executable, program.verdict.message
    numbers = [number for pair in PAIRS for number in pair]
    content = struct.pack(f"<{len(numbers)}f", *numbers)
    count = 3 * len(TYPES) * len(OPERATIONS) * len(PAIRS)
    launch = KernelLaunch(
        grid=(1, 1, 1),
        block=(len(PAIRS), 1, 1),
        buffers=(Buffer(size=len(content), content=content), Buffer(size=4 * count)),
        arguments=(pointer_argument(0), pointer_argument(1)),
    )
    (execution,) = run_launches(program, [launch])
    assert execution.outcome == "done", execution.findings
    expected = [
        word
        for a, b in PAIRS
        for _ in TYPES
        for compare in OPERATIONS.values()
        for word in expect(compare, a, b)
    ]
    assert list(struct.unpack(f"<{count}I", execution.buffers[1])) == expected
